#include <nanobind/stl/pair.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "mercer/twofold.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

using Square = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Parts = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

// The core writes only into matrices that it has just made.
TwofoldMatrix matrix_of(const Rows<double>& high, const Rows<double>& low) {
  if (high.shape(0) != high.shape(1) || low.shape(0) != high.shape(0) || low.shape(1) != high.shape(1))
    throw std::invalid_argument("the parts of a twofold matrix are not square or differ in shape");
  return {const_cast<double*>(high.data()), const_cast<double*>(low.data()), static_cast<Index>(high.shape(0))};
}

TwofoldCoef coef_of(const Vector<double>& high, const Vector<double>& low, std::size_t count) {
  if (high.size() != count || low.size() != count)
    throw std::invalid_argument("the coefficients are not as many as what they belong to");
  return {high.data(), low.data()};
}

}  // namespace

void bind_twofold(nb::module_& m) {
  m.def(
      "twofold_gram",
      [](const Kernel& kernel, const Rows<double>& X, int threads) {
        const std::size_t rows = X.shape(0);
        std::pair<Square, Square> out{new_array<double, 2>({rows, rows}), new_array<double, 2>({rows, rows})};
        Stop stop = interruptible();
        const WithoutGil released;
        twofold_gram(kernel, view(X), {out.first.data(), out.second.data(), static_cast<Index>(rows)}, threads, &stop);
        return out;
      },
      nb::arg("kernel"), nb::arg("X").noconvert(), nb::arg("threads"));
  m.def(
      "twofold_expansion",
      [](const Kernel& kernel, const Rows<double>& centres, const Vector<double>& high, const Vector<double>& low,
         const Rows<double>& queries, int threads) {
        if (centres.shape(1) != queries.shape(1))
          throw std::invalid_argument("centres and queries have different numbers of features");
        const TwofoldCoef coef = coef_of(high, low, centres.shape(0));
        auto out = new_array<double, 1>({queries.shape(0)});
        Stop stop = interruptible();
        const WithoutGil released;
        twofold_expansion(kernel, view(centres), coef, view(queries), out.data(), threads, &stop);
        return out;
      },
      nb::arg("kernel"), nb::arg("centres").noconvert(), nb::arg("high").noconvert(), nb::arg("low").noconvert(),
      nb::arg("queries").noconvert(), nb::arg("threads"));
  m.def(
      "twofold_sums",
      [](const Rows<double>& values, const Vector<double>& high, const Vector<double>& low) {
        const TwofoldCoef coef = coef_of(high, low, values.shape(1));
        auto out = new_array<double, 1>({values.shape(0)});
        const WithoutGil released;
        twofold_sums(view(values), coef, out.data());
        return out;
      },
      nb::arg("values").noconvert(), nb::arg("high").noconvert(), nb::arg("low").noconvert());
  m.def(
      "twofold_products",
      [](const Rows<double>& high, const Rows<double>& low, const Vector<double>& coef, int threads) {
        const TwofoldMatrix K = matrix_of(high, low);
        if (coef.size() != static_cast<std::size_t>(K.size))
          throw std::invalid_argument("the coefficients are not as many as the rows of the matrix");
        std::pair<Parts, Parts> out{new_array<double, 1>({coef.size()}), new_array<double, 1>({coef.size()})};
        Stop stop = interruptible();
        const WithoutGil released;
        twofold_products(K, coef.data(), out.first.data(), out.second.data(), threads, &stop);
        return out;
      },
      nb::arg("high").noconvert(), nb::arg("low").noconvert(), nb::arg("coef").noconvert(), nb::arg("threads"));
  m.def(
      "twofold_sum_of_rows",
      [](const Rows<double>& X, const Vector<double>& high, const Vector<double>& low) {
        const TwofoldCoef coef = coef_of(high, low, X.shape(0));
        auto out = new_array<double, 1>({X.shape(1)});
        const WithoutGil released;
        twofold_sum_of_rows(view(X), coef, out.data());
        return out;
      },
      nb::arg("X").noconvert(), nb::arg("high").noconvert(), nb::arg("low").noconvert());
  m.def(
      "centred_gram",
      [](const Rows<double>& high, const Rows<double>& low, int threads) {
        const TwofoldMatrix K = matrix_of(high, low);
        const std::size_t rows = high.shape(0);
        std::pair<Square, Square> out{new_array<double, 2>({rows, rows}), new_array<double, 2>({rows, rows})};
        std::copy_n(K.high, rows * rows, out.first.data());
        std::copy_n(K.low, rows * rows, out.second.data());
        Stop stop = interruptible();
        const WithoutGil released;
        centre({out.first.data(), out.second.data(), K.size}, threads, &stop);
        return out;
      },
      nb::arg("high").noconvert(), nb::arg("low").noconvert(), nb::arg("threads"));
  m.def(
      "pivoted_factor",
      [](const Rows<double>& high, const Rows<double>& low, double least, Index most_rank) {
        const TwofoldMatrix K = matrix_of(high, low);
        LowRank found;
        {
          Stop stop = interruptible();
          const WithoutGil released;
          found = pivoted_factor(K, least, most_rank, &stop);
        }
        auto out = new_array<double, 2>({high.shape(0), static_cast<std::size_t>(found.rank)});
        std::ranges::copy(found.values, out.data());
        return out;
      },
      nb::arg("high").noconvert(), nb::arg("low").noconvert(), nb::arg("least"), nb::arg("most_rank"));
}

}  // namespace mercer::bind
