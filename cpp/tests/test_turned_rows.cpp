// Rows that are made ready to be searched: their extent, and products with directions, by plain loops.
#include <cmath>

#include "check.hpp"
#include "mercer/turned_rows.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double of_rounding = 1e-13;

}  // namespace

TEST(extent_of_rows_is_their_mean_and_what_lies_farthest) {
  const Index n = 9000, d = 3;  // several chunks
  const std::vector<double> values = Random(1).vector(n * d);
  const Dense<double> rows{values.data(), n, d};
  std::vector<double> mean(at(d), 0.0);
  double largest = 0, reach = 0;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < d; ++k) {
      mean[at(k)] += rows.row(i)[k] / static_cast<double>(n);
      largest = std::max(largest, std::abs(rows.row(i)[k]));
    }
  for (Index i = 0; i < n; ++i) {
    double squared = 0;
    for (Index k = 0; k < d; ++k) squared += std::pow(rows.row(i)[k] - mean[at(k)], 2);
    reach = std::max(reach, squared);
  }
  const Extent found = extent_of(rows, {2, nullptr}), alone = extent_of(rows, {1, nullptr});
  for (Index k = 0; k < d; ++k) CHECK_NEAR(found.centre[at(k)], mean[at(k)], of_rounding);
  CHECK(found.largest == largest);
  CHECK_NEAR(found.squared_reach, reach, of_rounding);
  CHECK(found.centre == alone.centre && found.squared_reach == alone.squared_reach);
  CHECK(extent_of(Dense<double>{values.data(), 0, d}, {1, nullptr}).squared_reach == 0);
}

TEST(turned_rows_are_products_with_the_directions) {
  const Index n = 50, d = 11, kept = 9;  // more than a panel
  const std::vector<double> values = Random(2).vector(n * d), centre = Random(3).vector(d);
  // Reflected by I - 2 v v' and without the last: orthonormal.
  std::vector<double> v = Random(4).vector(d), directions;
  double norm = 0;
  for (const double x : v) norm += x * x;
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j < kept; ++j) directions.push_back((k == j ? 1.0 : 0.0) - 2 * v[at(k)] * v[at(j)] / norm);
  const double unit = 0.25;
  const Turn turn_by{centre, unit, {directions.data(), d, kept}}, shift{centre, unit, {nullptr, d, 0}};
  std::vector<double> out(at(n * (kept + 1))), moved(at(n * d)), nothing(at(n), 1.0);
  std::vector<float> single(at(n * kept)), rests(at(n));
  const Dense<double> rows{values.data(), n, d};
  turn<double>(rows, turn_by, {out.data(), kept + 1, out.data() + kept, kept + 1}, {2, nullptr});
  turn<float>(rows, turn_by, {single.data(), kept, rests.data(), 1}, {1, nullptr});
  turn<double>(rows, shift, {moved.data(), d, nothing.data(), 1}, {1, nullptr});
  for (Index i = 0; i < n; ++i) {
    double whole = 0, told = 0;
    for (Index k = 0; k < d; ++k) {
      const double x = (rows.row(i)[k] - centre[at(k)]) * unit;
      CHECK_NEAR(moved[at(i * d + k)], x, of_rounding);
      whole += x * x;
    }
    for (Index j = 0; j < kept; ++j) {
      double product = 0;
      for (Index k = 0; k < d; ++k) product += moved[at(i * d + k)] * directions[at(k * kept + j)];
      CHECK_NEAR(out[at(i * (kept + 1) + j)], product, of_rounding);
      CHECK(single[at(i * kept + j)] == static_cast<float>(out[at(i * (kept + 1) + j)]));
      told += product * product;
    }
    CHECK_NEAR(out[at(i * (kept + 1) + kept)], std::sqrt(whole - told), 1e-7);
    CHECK(rests[at(i)] == static_cast<float>(out[at(i * (kept + 1) + kept)]) && nothing[at(i)] == 0);
  }
}
