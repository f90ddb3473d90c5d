#include "local/window.hpp"

#include <vector>

namespace mercer {
namespace {

using Coefficients = std::vector<double>;  // ascending

Coefficients times(const Coefficients& a, const Coefficients& b) {
  Coefficients product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

Coefficients coefficients_of(Window window) {
  const Coefficients by_square{1, 0, -1}, by_cube{1, 0, 0, -1};
  switch (window) {
    case Window::triangular: return {1, -1};
    case Window::epanechnikov: return by_square;
    case Window::biweight: return times(by_square, by_square);
    case Window::triweight: return times(by_square, times(by_square, by_square));
    case Window::tricube: return times(by_cube, times(by_cube, by_cube));
    default: return {1};
  }
}

WindowPolynomial shifted(const Coefficients& coef) {
  WindowPolynomial polynomial;
  polynomial.degree = static_cast<Index>(coef.size()) - 1;
  for (Index j = 0; j <= polynomial.degree; ++j) {
    const double c = coef[static_cast<std::size_t>(j)];
    if (c == 0) continue;
    polynomial.powers[polynomial.terms] = j;
    double* row = polynomial.shifted[polynomial.terms++];
    double binomial = 1;
    for (Index m = 0; m <= j; ++m) {
      row[m] = c * binomial;
      binomial = binomial * static_cast<double>(j - m) / static_cast<double>(m + 1);
    }
  }
  return polynomial;
}

}  // namespace

WindowPolynomial polynomial_of(Window window) { return shifted(coefficients_of(window)); }

WindowPolynomial squared_polynomial_of(Window window) {
  const Coefficients coef = coefficients_of(window);
  return shifted(times(coef, coef));
}

}  // namespace mercer
