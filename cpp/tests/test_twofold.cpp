// Numbers of twice the precision: exactness of the operations, kernel values, sums, centring, the pivoted factor.
#include <cmath>

#include "check.hpp"
#include "mercer/twofold.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Some units of 2^-104, which operations may be off by, relative to their result.
constexpr double unit = 0x1p-104;
constexpr double largest_error = 16 * unit;

// |a - b| relative to b. Parts are subtracted by themselves, for the high ones are the same but for their last digit.
double distance(Twofold a, Twofold b) {
  const double difference = (a.high - b.high) + (a.low - b.low);
  return std::abs(difference) / (b.high == 0 ? 1 : std::abs(b.high));
}

bool is_normal(Twofold x) { return x.high + x.low == x.high; }

// A number with all of its digits, of a size between 2^-20 and 2^20.
Twofold draw(Random& random) {
  const double high = random() * std::exp2(std::floor(20 * random()));
  return Twofold{high, 0} + Twofold{high * 0x1p-54 * random(), 0};
}

struct Known {
  double x;
  Twofold value;
};

// From the digits of the exponentials: the nearest double, and what it leaves of them, rounded to double.
//
// exp(1) = 2.71828182845904523536028747135266249775724709...
// exp(-1) = 0.36787944117144232159552377016146086744581113...
// exp(10) = 22026.4657948067165169579006452842443663535126...
// exp(0.5) = 1.64872127070012814684865078781416357165377610...
// exp(-20) = 2.06115362243855782796594038015582097637580727...e-9
// exp(100) = 2.68811714181613544841262555158001358736111187...e43
const std::vector<Known> exponentials{
    {1, {2.718281828459045, 1.4456468917292502e-16}},      {-1, {0.36787944117144233, -1.2428753672788363e-17}},
    {10, {22026.465794806718, -1.3780134700517372e-12}},   {0.5, {1.6487212707001282, -4.731568479435833e-17}},
    {-20, {2.061153622438558e-09, -4.19755767595054e-26}}, {100, {2.6881171418161356e+43, -1.6101271449201627e+27}},
};

struct Square {
  std::vector<double> high, low;
  Index size;
  explicit Square(Index n) : high(at(n * n)), low(at(n * n)), size(n) {}
  TwofoldMatrix view() { return {high.data(), low.data(), size}; }
  Twofold operator()(Index i, Index j) const { return {high[at(i * size + j)], low[at(i * size + j)]}; }
};

Square gram_of(const Kernel& kernel, const Table& X, int threads = 1) {
  Square K(X.rows);
  twofold_gram(kernel, DenseData<double>(X).view(), K.view(), threads, nullptr);
  return K;
}

// Z Z^T with sums of twice the precision.
Twofold of_factor(const LowRank& Z, Index i, Index j) {
  Twofold sum;
  for (Index k = 0; k < Z.rank; ++k)
    sum = sum + Twofold{Z.values[at(i * Z.rank + k)], 0} * Twofold{Z.values[at(j * Z.rank + k)], 0};
  return sum;
}

}  // namespace

TEST(twofold_sums_keep_what_double_loses) {
  const Twofold tiny{0x1p-100, 0}, one{1, 0};
  CHECK((one + tiny).high == 1);
  CHECK((one + tiny).low == 0x1p-100);
  CHECK(((one + tiny) - one).high == 0x1p-100);
  CHECK(((tiny - one) + one).high == 0x1p-100);
  // 0.1 + 0.2 - 0.3 of the doubles themselves is 2^-55 exactly: their mantissas are 7205759403792794, 14411518807585588
  // and 5404319552844595 * 4, in units of 2^-56, and leave 2.
  const Twofold left = Twofold{0.1, 0} + Twofold{0.2, 0} - Twofold{0.3, 0};
  CHECK(left.high == 0x1p-55);
  CHECK(left.low == 0);
  CHECK((Twofold{0x1p53, 1} + Twofold{0x1p53, 1}).low == 2);
}

TEST(twofold_products_keep_what_double_loses) {
  // (1 + 2^-60)^2 = 1 + 2^-59 + 2^-120, whose last term is beyond the precision.
  const Twofold x{1, 0x1p-60};
  CHECK((x * x).high == 1);
  CHECK((x * x).low == 0x1p-59);
  // (2^27 + 1)^2 = 2^54 + 2^28 + 1 takes 55 digits.
  const Twofold y{0x1p27 + 1, 0};
  CHECK((y * y).high == 0x1p54 + 0x1p28);
  CHECK((y * y).low == 1);
  // (1 + 2^-30)(1 - 2^-30) = 1 - 2^-60.
  const Twofold product = Twofold{1 + 0x1p-30, 0} * Twofold{1 - 0x1p-30, 0};
  CHECK(product.high == 1);
  CHECK(product.low == -0x1p-60);
}

TEST(twofold_quotients_keep_what_double_loses) {
  // The double next to 1/3 is (2^54 - 1) / 3 * 2^-54, so that 2^-54 / 3 is left.
  const Twofold third = Twofold{1, 0} / Twofold{3, 0};
  CHECK(third.high == 1.0 / 3);
  CHECK(third.low == 0x1p-54 / 3);
  const Twofold seventh = Twofold{1, 0} / Twofold{7, 0};
  CHECK(distance(seventh * Twofold{7, 0}, {1, 0}) <= unit);
  CHECK((Twofold{6, 0} / Twofold{3, 0}).high == 2);
  CHECK((Twofold{6, 0} / Twofold{3, 0}).low == 0);
}

TEST(twofold_operations_obey_the_laws_of_numbers) {
  Random random(71);
  for (int trial = 0; trial < 2000; ++trial) {
    const Twofold a = draw(random), b = draw(random), c = draw(random);
    CHECK(distance((a + b) - b, a) <= largest_error * (1 + std::abs(b.high / a.high)));
    CHECK(distance((a * b) / b, a) <= largest_error);
    CHECK(distance((a / b) * b, a) <= largest_error);
    const double size = (std::abs(a.high) + std::abs(b.high)) * std::abs(c.high);
    CHECK(distance((a + b) * c, a * c + b * c) * std::abs(((a + b) * c).high) <= largest_error * size);
    // (a + b)(a - b) = a^2 - b^2
    const double squares = a.high * a.high + b.high * b.high;
    const Twofold difference = (a + b) * (a - b) - (a * a - b * b);
    CHECK(std::abs(difference.high) <= largest_error * squares);
    for (const Twofold x : {a + b, a - b, a * b, a / b}) CHECK(is_normal(x));
  }
}

TEST(twofold_numbers_that_overflow_are_not_finite_and_have_no_low_part) {
  const Twofold largest{1e308, 0};
  for (const Twofold x : {largest + largest, largest * largest, largest / Twofold{1e-10, 0}}) {
    CHECK(!std::isfinite(x.high));
    CHECK(x.low == 0);
  }
  CHECK(std::isnan((Twofold{0, 0} / Twofold{0, 0}).high));
}

TEST(twofold_exp_has_the_digits_of_the_tables) {
  for (const Known& known : exponentials) {
    const Twofold found = exp(Twofold{known.x, 0});
    CHECK(found.high == known.value.high);
    CHECK(distance(found, known.value) <= 1e-30);
  }
  CHECK(exp(Twofold{}).high == 1);
  CHECK(exp(Twofold{}).low == 0);
}

TEST(twofold_exp_of_sums_is_the_product) {
  Random random(72);
  for (int trial = 0; trial < 1000; ++trial) {
    const Twofold x = Twofold{300, 0} * draw(random) / Twofold{0x1p20, 0}, y = draw(random) / Twofold{0x1p17, 0};
    // An error of x is one of exp(x) relative to it.
    const double size = 1 + std::abs(x.high) + std::abs(y.high);
    CHECK(distance(exp(x) * exp(Twofold{} - x), {1, 0}) <= 1e-30 * size);
    CHECK(distance(exp(x + y), exp(x) * exp(y)) <= 1e-30 * size);
    CHECK_NEAR(exp(x).high / std::exp(x.high), 1, 1e-15 * size);
  }
  // The low part counts: exp(1 + 2^-70) = exp(1) (1 + 2^-70 + ...).
  const Twofold ratio = exp(Twofold{1, 0x1p-70}) / exp(Twofold{1, 0}) - Twofold{1, 0};
  CHECK_NEAR(ratio.high, 0x1p-70, 1e-30);
}

TEST(twofold_exp_of_what_exceeds_double_is_zero_or_infinite) {
  CHECK(exp(Twofold{-800, 0}).high == 0);
  CHECK(exp(Twofold{-std::numeric_limits<double>::infinity(), 0}).high == 0);
  CHECK(std::isinf(exp(Twofold{800, 0}).high));
  CHECK(std::isnan(exp(Twofold{std::nan(""), 0}).high));
  CHECK_NEAR(exp(Twofold{-700, 0}).high / std::exp(-700.0), 1, 1e-14);
  CHECK_NEAR(exp(Twofold{708, 0}).high / std::exp(708.0), 1, 1e-14);
}

TEST(twofold_roots_logarithms_and_sines_undo_what_they_undo) {
  Random random(76);
  for (int k = 0; k < 200; ++k) {
    Twofold x = draw(random);
    if (x.high < 0) x = Twofold{} - x;
    const Twofold root = sqrt(x);
    CHECK(distance(root * root, x) <= largest_error);
    // An error of log x is one of x relative to it, as large as the exponent.
    CHECK(distance(exp(log(x)), x) <= 1e-29);
  }
  CHECK(sqrt(Twofold{}).high == 0 && std::isinf(sqrt(Twofold{std::numeric_limits<double>::infinity(), 0}).high));
  CHECK(log(Twofold{1, 0}).high == 0 && distance(log(exp(Twofold{700, 0})), Twofold{700, 0}) <= 1e-29);
  // sin(pi/6) = 1/2, sin(pi/4)^2 = 1/2, sin(3 a) = 3 sin(a) - 4 sin(a)^3, and it repeats.
  const Twofold sixth = Twofold{1, 0} / Twofold{6, 0}, half{0.5, 0};
  CHECK(distance(sin_of_pi(sixth), half) <= largest_error);
  CHECK(distance(sin_of_pi(Twofold{0.25, 0}) * sin_of_pi(Twofold{0.25, 0}), half) <= largest_error);
  CHECK(distance(sin_of_pi(half), Twofold{1, 0}) <= largest_error && sin_of_pi(Twofold{3, 0}).high == 0);
  CHECK(distance(sin_of_pi(Twofold{7.25, 0}), Twofold{} - sin_of_pi(Twofold{0.25, 0})) <= largest_error);
  for (int k = 1; k < 50; ++k) {
    const Twofold a{0.01 * k, 0}, s = sin_of_pi(a);
    CHECK(std::abs((sin_of_pi(a + a + a) - (Twofold{3, 0} * s - Twofold{4, 0} * s * s * s)).high) <= 1e-29);
  }
}

TEST(twofold_kernel_values_round_to_those_of_double) {
  const Table X = random_table(9, 5, 73);
  for (const Kernel& kernel :
       {linear(), polynomial(0.5, 1, 3), polynomial(2, -0.5, 2), sigmoid(0.7, -0.3), rbf(0.8), laplacian(0.6),
        constant(-2), sum(rbf(0.3), product(linear(), laplacian(0.2))), weighted("rbf", {1, 0, 0.5, 0.1, 2}),
        Kernel(Leaf("matern12", {{"gamma", 0.4}})), Kernel(Leaf("matern32", {{"gamma", 0.4}})),
        Kernel(Leaf("matern52", {{"gamma", 0.4}})),
        Kernel(Leaf("rational_quadratic", {{"gamma", 0.4}, {"alpha", 2.5}})),
        Kernel(Leaf("periodic", {{"gamma", 1.7}, {"rate", 0.6}})), Kernel(Leaf("white")),
        product(constant(3), rbf(0.8)), sum(weighted("laplacian", {1, 0, 0.5, 0.1, 2}), linear())})
    for (const int threads : {1, 2}) {
      const Square K = gram_of(kernel, X, threads);
      for (Index i = 0; i < X.rows; ++i)
        for (Index j = 0; j < X.rows; ++j) {
          CHECK_NEAR(K(i, j).high, naive_value(kernel, X.row(i), X.row(j)), 1e-14);
          CHECK(is_normal(K(i, j)));
          CHECK(K(i, j).high == K(j, i).high);
          CHECK(K(i, j).low == K(j, i).low);
        }
    }
}

TEST(twofold_dot_products_of_far_rows_are_exact) {
  // Integers: (2^26 + a)(2^26 + b) summed over four columns takes 55 digits, which two doubles hold.
  Table X{6, 4, {}};
  Random random(74);
  for (int k = 0; k < 24; ++k) X.values.push_back(0x1p26 + std::floor(1000 * random()));
  const Square K = gram_of(linear(), X), centred = [&] {
    Square copy = K;
    centre(copy.view(), 1, nullptr);
    return copy;
  }();
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) {
      std::int64_t dot = 0;
      for (std::size_t k = 0; k < 4; ++k)
        dot += static_cast<std::int64_t>(X.row(i)[k]) * static_cast<std::int64_t>(X.row(j)[k]);
      CHECK(static_cast<std::int64_t>(K(i, j).high) + static_cast<std::int64_t>(K(i, j).low) == dot);
      // Six times the rows around their mean are integers again.
      std::int64_t around = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        std::int64_t total = 0;
        for (Index row = 0; row < 6; ++row) total += static_cast<std::int64_t>(X.row(row)[k]);
        around +=
            (6 * static_cast<std::int64_t>(X.row(i)[k]) - total) * (6 * static_cast<std::int64_t>(X.row(j)[k]) - total);
      }
      CHECK_NEAR(centred(i, j).high, static_cast<double>(around) / 36, 1e-9);
    }
}

TEST(twofold_kernel_values_obey_the_identities_of_their_families) {
  // Powers are products, k(x, z)^2 of RBF and Laplacian are those with twice the gamma, and
  // tanh(2a) = 2 tanh(a) / (1 + tanh(a)^2).
  const Table X = random_table(7, 3, 75);
  const Square once = gram_of(polynomial(0.5, 1, 1), X), cubed = gram_of(polynomial(0.5, 1, 3), X);
  const Square fifth = gram_of(polynomial(0.5, 1, 5), X), none = gram_of(polynomial(0.5, 1, 0), X);
  const Square near = gram_of(rbf(0.8), X), nearer = gram_of(rbf(1.6), X);
  const Square apart = gram_of(laplacian(0.8), X), farther = gram_of(laplacian(1.6), X);
  const Square half = gram_of(sigmoid(0.25, 0.125), X), whole = gram_of(sigmoid(0.5, 0.25), X);
  const Twofold one{1, 0}, two{2, 0};
  for (Index i = 0; i < X.rows; ++i)
    for (Index j = 0; j < X.rows; ++j) {
      const Twofold x = once(i, j), t = half(i, j);
      CHECK(distance(cubed(i, j), x * x * x) <= largest_error);
      CHECK(distance(fifth(i, j), x * x * x * x * x) <= largest_error);
      CHECK(none(i, j).high == 1);
      CHECK(distance(nearer(i, j), near(i, j) * near(i, j)) <= 1e-29);
      CHECK(distance(farther(i, j), apart(i, j) * apart(i, j)) <= 1e-29);
      // tanh is one less a number near it, so that its error is absolute.
      CHECK(std::abs((whole(i, j) - two * t / (one + t * t)).high) <= 1e-29);
    }
  CHECK(gram_of(sigmoid(1000, 0), Table{1, 1, {1}})(0, 0).high == 1);
}

TEST(twofold_distances_of_far_rows_lose_nothing) {
  // Of rows that differ by 2^-20 around 2^26, double leaves the products nothing; their distance is a power of two.
  const Table X{2, 2, {0x1p26, 1, 0x1p26 + 0x1p-20, 1}};
  CHECK(gram_of(rbf(0x1p40), X)(0, 1).high == exp(Twofold{-1, 0}).high);
  CHECK(gram_of(laplacian(0x1p20), X)(0, 1).low == exp(Twofold{-1, 0}).low);
}

TEST(twofold_sums_with_coefficients_cancel_exactly) {
  // 1e17 (1 + 2^-60) - 1e17, by the high and low parts of coefficients, is 1e17 2^-60.
  const std::vector<double> high{1e17, -1e17, 3}, low{1e17 * 0x1p-60, 0, 0};
  const TwofoldCoef coef{high.data(), low.data()};
  const Table ones{2, 3, {1, 1, 0, 1, 1, 1}};
  const DenseData<double> rows(ones);
  std::vector<double> out(2);
  twofold_sums(rows.view(), coef, out.data());
  CHECK(out[0] == 1e17 * 0x1p-60);
  CHECK(out[1] == 3 + 1e17 * 0x1p-60);

  const Table columns{3, 2, {1, 2, 1, 2, 0, 1}};
  const DenseData<double> as_rows(columns);
  twofold_sum_of_rows(as_rows.view(), coef, out.data());
  CHECK(out[0] == 1e17 * 0x1p-60);
  CHECK(out[1] == 3 + 2e17 * 0x1p-60);

  // The same as values of a linear kernel, and nothing of a centre whose coefficient is zero, whatever it is.
  const Table centres{4, 1, {1, 1, 0, 1e300}}, queries{2, 1, {1, 2}};
  const std::vector<double> more{1e17, -1e17, 3, 0}, rest{1e17 * 0x1p-60, 0, 0, 0};
  for (const int threads : {1, 2}) {
    twofold_expansion(linear(), DenseData<double>(centres).view(), {more.data(), rest.data()},
                      DenseData<double>(queries).view(), out.data(), threads, nullptr);
    CHECK(out[0] == 1e17 * 0x1p-60);
    CHECK(out[1] == 2e17 * 0x1p-60);
  }
}

TEST(twofold_products_are_the_expansion_at_the_rows) {
  const Table X = random_table(12, 3, 76);
  const DenseData<double> rows(X);
  std::vector<double> coef = Random(77).vector(12), none(12), high(12), low(12), expected(12);
  coef[3] = 0;
  for (double& c : coef) c *= 1e12;
  // What all values have in common cancels, and the sums with it to a millionth of their terms.
  coef[11] -= std::accumulate(coef.begin(), coef.end(), 0.0);
  Square K = gram_of(rbf(1e-6), X);
  for (const int threads : {1, 2}) {
    twofold_products(K.view(), coef.data(), high.data(), low.data(), threads, nullptr);
    twofold_expansion(rbf(1e-6), rows.view(), {coef.data(), none.data()}, rows.view(), expected.data(), threads,
                      nullptr);
    for (std::size_t i = 0; i < 12; ++i) CHECK_NEAR(high[i] + low[i], expected[i], 1e-9);
  }
}

TEST(twofold_centred_values_have_no_mean) {
  const Table X = random_table(11, 4, 78);
  for (const int threads : {1, 2}) {
    Square K = gram_of(sum(constant(1e12), rbf(0.5)), X);
    centre(K.view(), threads, nullptr);
    Square plain = gram_of(rbf(0.5), X);
    centre(plain.view(), threads, nullptr);
    for (Index i = 0; i < 11; ++i) {
      Twofold total;
      for (Index j = 0; j < 11; ++j) {
        total = total + K(i, j);
        CHECK(std::abs((K(i, j) - plain(i, j)).high) <= 1e-18);  // a constant is gone, with its 1e12 2^-104
        CHECK(K(i, j).high == K(j, i).high);
      }
      CHECK(std::abs(total.high) <= 1e-17);
    }
  }
}

TEST(twofold_pivoted_factor_makes_up_the_matrix) {
  const Table X = random_table(15, 4, 79);
  for (const Kernel& kernel : {linear(), rbf(0.5), polynomial(1, 1, 2)}) {
    Square K = gram_of(kernel, X);
    const LowRank Z = pivoted_factor(K.view(), 1e-28, 15, nullptr);
    for (Index i = 0; i < 15; ++i)
      for (Index j = 0; j < 15; ++j) CHECK_NEAR(of_factor(Z, i, j).high, K(i, j).high, 1e-14);
    const bool is_linear = kernel.program()[0].leaf.form().name == "linear";
    CHECK(Z.rank == (is_linear ? 4 : 15));  // monomials up to the second degree in four features are fifteen as well
  }
}

TEST(twofold_pivoted_factor_is_accurate_in_its_smallest_columns) {
  // D A D with d_i = 2^-5i, over 2^-140 in the values: Z = D times that of A, column by column, to the last digits.
  constexpr Index n = 8;
  const Table X = random_table(n, n, 80);
  Square A(n), graded(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const double value = (i == j ? 8.0 : 0.0) + X.row(std::min(i, j))[at(std::max(i, j))];
      A.high[at(i * n + j)] = value;
      graded.high[at(i * n + j)] = std::ldexp(value, static_cast<int>(-5 * (i + j)));
    }
  const LowRank Z = pivoted_factor(graded.view(), 0, n, nullptr);
  CHECK(Z.rank == n);
  double before = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < Z.rank; ++k) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(Z.values[at(i * n + k)]));
    CHECK(largest < before);
    before = largest;
  }
  // Cholesky's factor of A in the order of the pivots, which is that of the rows, in long double.
  std::vector<std::vector<long double>> L(at(n), std::vector<long double>(at(n)));
  for (std::size_t j = 0; j < at(n); ++j)
    for (std::size_t i = j; i < at(n); ++i) {
      long double value = A.high[i * at(n) + j];
      for (std::size_t k = 0; k < j; ++k) value -= L[i][k] * L[j][k];
      L[i][j] = i == j ? std::sqrt(value) : value / L[j][j];
    }
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k <= i; ++k)
      CHECK_NEAR(std::ldexp(Z.values[at(i * n + k)], static_cast<int>(5 * i)), static_cast<double>(L[at(i)][at(k)]),
                 1e-15);
}

TEST(twofold_pivoted_factor_ends_at_the_rank_and_gives_up_beyond_the_most) {
  const Table X = random_table(10, 3, 81);
  Square K = gram_of(linear(), X);
  CHECK(pivoted_factor(K.view(), 1e-25, 10, nullptr).rank == 3);
  CHECK(pivoted_factor(K.view(), 1e-25, 3, nullptr).rank == 3);
  for (const Index most : {Index(0), Index(2)}) {
    const LowRank none = pivoted_factor(K.view(), 1e-25, most, nullptr);
    CHECK(none.rank == 0);
    CHECK(none.values.empty());
  }
  Square zero(4);
  CHECK(pivoted_factor(zero.view(), 0, 4, nullptr).rank == 0);
}
