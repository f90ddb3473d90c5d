// Data in the text format of LIBSVM and SVMlight, read on all threads into compressed sparse rows:
//
//     label [qid:number] index:value index:value ... [# comment]
//
// one row a line, indices ascending. Lines that are blank or hold a comment only are no rows.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "mercer/buffer.hpp"
#include "mercer/pool.hpp"

namespace mercer {

// What can be wrong with a line.
enum class LibsvmFault {
  bad_label,
  missing_label,  // the line begins with index:value
  several_labels,
  bad_entry,  // neither index:value nor qid:number
  missing_colon,
  negative_index,
  zero_index,  // where indices begin with one
  index_beyond,
  not_ascending,
  repeated_index,
  missing_value,
  bad_value,
  hexadecimal,
  not_finite,
  too_large,
  bad_query,
  misplaced_query,
  missing_query,
};

struct LibsvmError : std::exception {
  const char* what() const noexcept override { return "a line of the data is not as the format has it"; }

  LibsvmFault fault;
  Index line = 0, column = 0;  // from one, in bytes
  std::string text;            // what stands there, its beginning if it is long
  std::uint64_t before = 0;    // the index before one that does not ascend
};

enum class IndexBase { zero, one, detect };  // detect: zero where an index 0 is seen, else one

struct LibsvmOptions {
  IndexBase base = IndexBase::detect;
  Index columns = std::numeric_limits<Index>::max();  // there may be
  bool finite_only = true;
  bool with_queries = false;  // every row must then have one
  Index piece_bytes = 0;      // of the text that a thread reads at once; 0: as fits
};

template <class I>
struct LibsvmPositions {
  Buffer<I> indices, indptr;
};

// Buffers may be longer than what they hold.
template <class T>
struct LibsvmData {
  Index rows = 0, entries = 0;
  Index columns = 0;  // seen
  bool is_zero_based = false;
  Buffer<double> labels;
  Buffer<std::int64_t> queries;  // where asked for
  Buffer<T> values;
  std::variant<LibsvmPositions<std::int32_t>, LibsvmPositions<std::int64_t>> positions;  // 64 bits where 32 are too few
};

// Rows and bits do not depend on the number of threads. Throws LibsvmError at the first line that is wrong.
template <class T>
LibsvmData<T> read_libsvm(std::string_view text, const LibsvmOptions& options, const Workers& workers);

}  // namespace mercer
