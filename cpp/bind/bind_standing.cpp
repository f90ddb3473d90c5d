#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "mercer/standing.hpp"

namespace mercer::bind {

// (least, largest, best) by sum and problem; whether all is inside; the imbalance; the largest size, slope and bound.
using Answer = std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<3>>, bool, double, double, double, double>;

void bind_standing(nb::module_& m) {
  m.def(
      "standing",
      [](const Vector<double>& slope, const Vector<double>& lower, const Vector<double>& upper,
         const std::optional<Vector<double>>& kink, bool two_sums, const Vector<double>& start,
         const Vector<double>& coef, const Vector<double>& products, const Vector<std::int64_t>& starts,
         double at_bound) -> Answer {
        const std::size_t rows = coef.size();
        if (slope.size() != rows || lower.size() != rows || upper.size() != rows || products.size() != rows ||
            start.size() != rows || (kink && kink->size() != rows))
          throw std::invalid_argument("the vectors of the problem differ in length");
        const std::vector<Index> first = indices(starts);
        if (!std::ranges::is_sorted(first) ||
            (!first.empty() && (first.front() < 0 || first.back() > static_cast<Index>(rows))))
          throw std::invalid_argument("the problems do not begin one after the other within the rows");
        const Standing found =
            standing({view(slope), view(lower), view(upper), kink ? view(*kink) : std::span<const double>(), two_sums,
                      view(start), view(coef), view(products), first, at_bound});
        auto numbers = new_array<double, 3>({3, std::size_t(two_sums ? 2 : 1), first.size()});
        double* out = numbers.data();
        for (const auto* field : {&found.least, &found.largest, &found.best}) out = std::ranges::copy(*field, out).out;
        const double largest_size = found.size.empty() ? 0 : std::ranges::max(found.size);
        return {numbers, found.inside, found.imbalance, largest_size, found.largest_slope, found.largest_bound};
      },
      nb::arg("slope").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("kink").noconvert().none(), nb::arg("two_sums"), nb::arg("start").noconvert(),
      nb::arg("coef").noconvert(), nb::arg("products").noconvert(), nb::arg("starts").noconvert(), nb::arg("at_bound"));
}

}  // namespace mercer::bind
