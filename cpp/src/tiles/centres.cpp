#include "mercer/centres.hpp"

#include <algorithm>
#include <stdexcept>

#include "for_each_tile.hpp"
#include "matrix.hpp"
#include "mercer/prepared.hpp"
#include "outputs.hpp"
#include "sums.hpp"

namespace mercer {
namespace {

std::vector<double> coefficients_of_one_output(const std::vector<Segment>& segments, Index centres) {
  std::vector<double> coef(static_cast<std::size_t>(centres), 0.0);
  for (const Segment& part : segments)
    for (Index k = part.first; k < part.last; ++k) coef[static_cast<std::size_t>(k)] += part.coef[k - part.first];
  return coef;
}

}  // namespace

template <class T>
Centres<T>::Centres(const Kernel& kernel, const Matrix& X)
    : frame_(frame_for(kernel, X)), kernel_(kernel.in(frame_)), points_(X, nullptr, frame_, layout_for(X)) {
  check_range(kernel_, points_);
}

template <class T>
std::vector<Segment> Centres<T>::segments(const std::vector<SegmentRange>& ranges, Index outputs,
                                          std::span<const double> coef) const {
  std::vector<Segment> placed;
  Index used = 0;
  for (const auto& [output, first, last] : ranges) {
    const bool fits = output >= 0 && output < outputs && first >= 0 && first <= last && last <= size() &&
                      last - first <= std::ssize(coef) - used;
    if (!fits) throw std::invalid_argument("a segment lies outside the centres or the coefficients");
    placed.push_back({output, first, last, coef.data() + used});
    used += last - first;
  }
  return placed;
}

template <class T>
void Centres<T>::evaluate(const Matrix& queries, const std::vector<Segment>& segments, Index outputs, double* out,
                          const Workers& workers) const {
  check_columns(queries);
  std::fill_n(out, rows_of(queries) * outputs, 0.0);
  const auto asked = Operand<T>::read(queries, frame_, query_layout(points_.layout()));
  const auto centres = Operand<T>::ready(points_);
  if (outputs == 1)
    for_each_tile(kernel_, asked, centres, Sums<T>(coefficients_of_one_output(segments, size()), out), workers);
  else
    for_each_tile(kernel_, asked, centres, Outputs<T>(segments, outputs, out), workers);
}

template <class T>
void Centres<T>::matrix(const Matrix& queries, T* out, const Workers& workers) const {
  check_columns(queries);
  for_each_tile(kernel_, Operand<T>::read(queries, frame_, query_layout(points_.layout())), Operand<T>::ready(points_),
                KernelValues<T>(out, size()), workers);
}

template <class T>
void Centres<T>::check_columns(const Matrix& queries) const {
  if (cols_of(queries) != points_.cols())
    throw std::invalid_argument("queries and centres have different numbers of features");
}

template class Centres<float>;
template class Centres<double>;

}  // namespace mercer
