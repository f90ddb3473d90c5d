#include "mercer/kernel_block.hpp"

#include "for_each_tile.hpp"
#include "matrix.hpp"
#include "symmetric.hpp"

namespace mercer {

template <class T>
void kernel_block(const Prepared<T>& data, std::span<const Index> rows, std::span<const Index> columns, T* out,
                  Index ld, const Workers& workers) {
  const Points<T> centres = data.points.gather(columns, data.centres);
  for_each_tile(data.kernel, Operand<T>::gathered(data.points, rows, data.points.layout()), Operand<T>::ready(centres),
                KernelValues<T>(out, ld), workers);
}

template <class T>
void symmetric_block(const Prepared<T>& data, std::span<const Index> rows, T* out, Index ld, const Workers& workers) {
  const Points<T> queries = data.points.gather(rows, data.points.layout());
  const bool in_panels = data.centres == Layout::panels;
  const Points<T> panels = in_panels ? data.points.gather(rows, Layout::panels) : Points<T>();
  for_each_tile(data.kernel, Operand<T>::ready(queries), Operand<T>::ready(in_panels ? panels : queries),
                SymmetricValues<T>(data.kernel, out, ld), workers);
}

#define MERCER_INSTANTIATE(T)                                                                                  \
  template void kernel_block<T>(const Prepared<T>&, std::span<const Index>, std::span<const Index>, T*, Index, \
                                const Workers&);                                                               \
  template void symmetric_block<T>(const Prepared<T>&, std::span<const Index>, T*, Index, const Workers&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
