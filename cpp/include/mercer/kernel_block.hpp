// Blocks of kernel values among rows of prepared data.
#pragma once

#include "mercer/pool.hpp"
#include "mercer/prepared.hpp"

namespace mercer {

// out[i * ld + j] = k(rows[i], columns[j]).
template <class T>
void kernel_block(const Prepared<T>& data, std::span<const Index> rows, std::span<const Index> columns, T* out,
                  Index ld, const Workers& workers);

// The same with the rows themselves for columns, each pair computed once.
template <class T>
void symmetric_block(const Prepared<T>& data, std::span<const Index> rows, T* out, Index ld, const Workers& workers);

}  // namespace mercer
