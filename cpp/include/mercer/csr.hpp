// Sparse views that come from outside.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

// Throws std::invalid_argument unless row pointers grow within the `stored` entries and columns lie within the matrix:
// the core reads both without looking.
template <class T, class I>
void check_csr(const Csr<T, I>& X, Index stored);

}  // namespace mercer
