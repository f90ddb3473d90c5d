#include "arrays.hpp"
#include "mercer/pair_sums.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

template <class Sum>
nb::tuple summed(bool squared, int threads, const Sum& sum) {
  Stop stop = interruptible();
  PairSums sums;
  {
    const WithoutGil released;
    sums = sum(squared ? FeatureSum::squared_distance : FeatureSum::manhattan, Workers{threads, &stop});
  }
  auto differences = new_array<double, 1>({sums.differences.size()});
  std::ranges::copy(sums.differences, differences.data());
  return nb::make_tuple(sums.values, differences);
}

}  // namespace

void bind_pair_sums(nb::module_& m) {
  m.def(
      "pair_sums",
      [](const Rows<double>& weights, const Rows<double>& values, const Rows<double>& X, bool squared, int threads) {
        return summed(squared, threads, [&](FeatureSum kind, const Workers& workers) {
          return pair_sums(view(weights), view(values), view(X), kind, workers);
        });
      },
      nb::arg("weights").noconvert(), nb::arg("values").noconvert(), nb::arg("X").noconvert(), nb::arg("squared"),
      nb::arg("threads"));
  m.def(
      "cross_sums",
      [](const Rows<double>& weights, const Rows<double>& values, const Rows<double>& X, const Rows<double>& Z,
         bool squared, int threads) {
        return summed(squared, threads, [&](FeatureSum kind, const Workers& workers) {
          return cross_sums(view(weights), view(values), view(X), view(Z), kind, workers);
        });
      },
      nb::arg("weights").noconvert(), nb::arg("values").noconvert(), nb::arg("X").noconvert(), nb::arg("Z").noconvert(),
      nb::arg("squared"), nb::arg("threads"));
}

}  // namespace mercer::bind
