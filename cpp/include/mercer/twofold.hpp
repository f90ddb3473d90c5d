// Numbers of twice the precision of double, as unevaluated sums of two: what small problems are judged by where the
// rounding of double would hide the answer.
//
// See Dekker (1971), A floating-point technique for extending the available precision; Hida, Li, Bailey (2001),
// Algorithms for quad-double precision floating point arithmetic.
#pragma once

#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/pool.hpp"

namespace mercer {

struct Twofold {
  double high = 0;
  double low = 0;
};

Twofold operator+(Twofold a, Twofold b);
Twofold operator-(Twofold a, Twofold b);
Twofold operator*(Twofold a, Twofold b);
Twofold operator/(Twofold a, Twofold b);
// What exceeds double is zero or infinite, as with std::exp.
Twofold exp(Twofold x);
Twofold power(Twofold base, int degree);
Twofold tanh(Twofold x);
Twofold sqrt(Twofold x);
Twofold log(Twofold x);  // of a number > 0
Twofold sin_of_pi(Twofold x);

// A square matrix of such numbers, the high and the low parts each row by row.
struct TwofoldMatrix {
  double* high;
  double* low;
  Index size;
};

// The kernel's values among the rows of X.
void twofold_gram(const Kernel& kernel, const Dense<double>& X, TwofoldMatrix out, int threads, Stop* stop);

// Coefficients with their high and low parts.
struct TwofoldCoef {
  const double* high;
  const double* low;
};

// sum_j coef_j k(centres_j, queries_i) for every query, rounded once.
void twofold_expansion(const Kernel& kernel, const Dense<double>& centres, TwofoldCoef coef,
                       const Dense<double>& queries, double* out, int threads, Stop* stop);

// The sum of each row of values times the coefficients, rounded once.
void twofold_sums(const Dense<double>& values, TwofoldCoef coef, double* out);

// K coef, as high and low parts.
void twofold_products(const TwofoldMatrix& K, const double* coef, double* high, double* low, int threads, Stop* stop);

// The sum of the rows of X, each times its coefficient, rounded once.
void twofold_sum_of_rows(const Dense<double>& X, TwofoldCoef coef, double* out);

// K with the means of its rows and of its columns taken off and that of all put back: the values of the kernel around
// the mean of the rows in feature space.
void centre(TwofoldMatrix K, int threads, Stop* stop);

// Z with K = Z Z^T, row by row, whose columns become smaller from one to the next: the Cholesky factor with the largest
// pivot first, until none is above `least`. Small columns are as accurate as large ones. With more columns than
// `most_rank` it is given up, and the rank is zero.
struct LowRank {
  std::vector<double> values;
  Index rank = 0;
};
LowRank pivoted_factor(const TwofoldMatrix& K, double least, Index most_rank, Stop* stop);

}  // namespace mercer
