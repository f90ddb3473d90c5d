// Rows as text in the format of LIBSVM and SVMlight, in the fewest digits that read_libsvm reads as the same numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

struct LibsvmTable {
  Matrix X;  // sparse ones with columns in ascending order
  std::span<const double> labels;
  std::span<const std::int64_t> queries;  // one a row, or none at all
  bool is_zero_based = false;
};

// The lines of some rows, in parts that follow each other. Entries of a dense matrix that are +0 are left out, stored
// ones of a sparse matrix never.
std::vector<std::string> libsvm_lines(const LibsvmTable& table, Index first, Index last, const Workers& workers);

}  // namespace mercer
