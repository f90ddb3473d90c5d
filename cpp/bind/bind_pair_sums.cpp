#include "arrays.hpp"
#include "mercer/pair_sums.hpp"
#include "report.hpp"

namespace mercer::bind {

void bind_pair_sums(nb::module_& m) {
  m.def(
      "pair_sums",
      [](const Rows<double>& weights, const Rows<double>& values, const Rows<double>& X, bool squared, int threads) {
        Stop stop = interruptible();
        PairSums sums;
        {
          const WithoutGil released;
          sums = pair_sums(view(weights), view(values), view(X),
                           squared ? FeatureSum::squared_distance : FeatureSum::manhattan, {threads, &stop});
        }
        auto differences = new_array<double, 1>({sums.differences.size()});
        std::ranges::copy(sums.differences, differences.data());
        return nb::make_tuple(sums.values, differences);
      },
      nb::arg("weights").noconvert(), nb::arg("values").noconvert(), nb::arg("X").noconvert(), nb::arg("squared"),
      nb::arg("threads"));
}

}  // namespace mercer::bind
