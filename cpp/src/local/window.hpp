// Windows as polynomials of the distance.
#pragma once

#include "mercer/local_loops.hpp"

namespace mercer {

inline bool is_polynomial(Window window) { return window != Window::gaussian; }
WindowPolynomial polynomial_of(Window window);
WindowPolynomial squared_polynomial_of(Window window);

}  // namespace mercer
