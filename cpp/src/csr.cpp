#include "mercer/csr.hpp"

#include <stdexcept>

namespace mercer {

template <class T, class I>
void check_csr(const Csr<T, I>& X, Index stored) {
  bool fits = X.rows >= 0 && X.indptr[0] >= 0 && X.indptr[X.rows] <= stored;
  for (Index i = 0; fits && i < X.rows; ++i) fits = X.indptr[i] <= X.indptr[i + 1];
  for (Index e = fits ? X.indptr[0] : 0; fits && e < X.indptr[X.rows]; ++e)
    fits = X.indices[e] >= 0 && X.indices[e] < X.cols;
  if (!fits) throw std::invalid_argument("the row pointers or column numbers of a sparse matrix do not fit its shape");
}

template void check_csr(const Csr<float, std::int32_t>&, Index);
template void check_csr(const Csr<double, std::int32_t>&, Index);
template void check_csr(const Csr<float, std::int64_t>&, Index);
template void check_csr(const Csr<double, std::int64_t>&, Index);

}  // namespace mercer
