// Windows: what rows around a query count, by their distance from it; and the hot loops over rows in a window. As those
// of simd.hpp these are compiled once per instruction set and chosen at run time.
#pragma once

#include <initializer_list>

#include "mercer/view.hpp"

namespace mercer {

// Functions of the distance in units of the window's radius, zero beyond it; the Gaussian has no end.
enum class Window { tophat, triangular, epanechnikov, biweight, triweight, tricube, gaussian };

// A window squared has degree 18 at most, and vectors of every level divide this.
inline constexpr Index most_coefficients = 24;
inline constexpr Index most_order = 2;
// Powers of u that a local system of the highest order is made of.
inline constexpr Index most_powers = 2 * most_order + 1;
// Moments are read some powers beyond those of the window.
inline constexpr Index most_moments = most_coefficients + most_powers - 1;

// A window, or its square, within its radius: sum_j c_j r^j, of which few terms are not zero. `shifted` has c_j
// binomial(j, m) for each such j, row after row.
struct WindowPolynomial {
  static constexpr Index most_terms = 7;
  Index degree = 0;
  Index terms = 0;
  Index powers[most_terms] = {};
  double shifted[most_terms][most_coefficients] = {};
};

// Consecutive rows of one feature. What a row weighs beside the window is `prior`; `noise` is the variance of its
// target in units of the common one.
struct LineRows {
  const double *x, *y, *prior, *noise;
  Index count;
};

// Where a window stands, and in which units sums are taken: of u = (x - origin) unit.
struct LinePlace {
  double query, inverse_radius, origin, unit;
};

// sum w u^i, sum w u^i y, and sum w^2 noise u^i.
struct LineSums {
  double weights[most_powers] = {};
  double targets[most_order + 1] = {};
  double squares[most_powers] = {};
};

// A run of rows on one side of the query by its moments sum v t^m, t = (x - centre) / radius.
struct NodePlace {
  double away;    // distance of the centre from the query, in radii of the window
  double step;    // how much farther one radius of the node lies, in the same units: negative towards the query
  double shift;   // u at the centre
  double spread;  // u of one radius
};

// What is made of the moments of a node.
struct NodeSums {
  const double* moments;
  Index powers;
  double* out;
};

struct LocalOps {
  // Adds the sums over rows that lie in the window; those of squares where asked for.
  void (*line_sums)(Window window, Index order, bool squares, const LineRows& rows, const LinePlace& place,
                    LineSums& sums);
  // out[s] += sum over the rows of a node of w u^s, for `powers` of them, with each of some moments.
  void (*node_sums)(const WindowPolynomial& window, const NodePlace& place, std::initializer_list<NodeSums> sums);
  // out[m] = sum v t^m and, where there are targets, out[count + m] = sum v y t^m with t = (x - centre) inverse.
  void (*row_moments)(const double* x, const double* v, const double* y, Index rows, double centre, double inverse,
                      Index count, double* out);
  // out[i] = prior[i] window(|x_i - query| inverse_radius) of rows that stand in columns, `ld` apart.
  void (*weights)(Window window, const double* columns, Index ld, Index count, Index d, const double* query,
                  double inverse_radius, const double* prior, double* out);
};

// The table in use, that of the level in simd.hpp.
const LocalOps& local_ops();

}  // namespace mercer
