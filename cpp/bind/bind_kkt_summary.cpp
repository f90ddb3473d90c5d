#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "mercer/kkt_summary.hpp"

namespace mercer::bind {

// (least, largest, best) by sum and problem; whether all is inside; the imbalance; the largest size, slope and bound.
using Answer = std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<3>>, bool, double, double, double, double>;

void bind_kkt_summary(nb::module_& m) {
  m.def(
      "kkt_summary",
      [](const Vector<double>& slope, const Vector<double>& lower, const Vector<double>& upper,
         const std::optional<Vector<double>>& kink, bool two_sums, const Vector<double>& start,
         const Vector<double>& coef, const Vector<double>& products, const Vector<std::int64_t>& starts,
         double at_bound) -> Answer {
        const Problems problems({view(slope), view(lower), view(upper), view(start),
                                 kink ? view(*kink) : std::span<const double>(), two_sums},
                                view(starts));
        const KktSummary found = summarise_kkt({problems, view(coef), view(products), at_bound});
        auto numbers = new_array<double, 3>({3, std::size_t(two_sums ? 2 : 1), starts.size()});
        double* out = numbers.data();
        for (const auto* field : {&found.least, &found.largest, &found.best}) out = std::ranges::copy(*field, out).out;
        const double largest_size = found.size.empty() ? 0 : std::ranges::max(found.size);
        return {numbers, found.inside, found.imbalance, largest_size, found.largest_linear, found.largest_bound};
      },
      nb::arg("slope").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("kink").noconvert().none(), nb::arg("two_sums"), nb::arg("start").noconvert(),
      nb::arg("coef").noconvert(), nb::arg("products").noconvert(), nb::arg("starts").noconvert(), nb::arg("at_bound"));
}

}  // namespace mercer::bind
