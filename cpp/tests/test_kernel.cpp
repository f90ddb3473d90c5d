// Kernels as programs: their depth, the values of each leaf, bounds and rescaling.
#include <stdexcept>

#include "check.hpp"
#include "mercer/frame.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

double sum_over_features(FeatureSum kind, std::span<const double> x, std::span<const double> z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = x[k] - z[k];
    if (kind == FeatureSum::dot) sum += x[k] * z[k];
    if (kind == FeatureSum::squared_distance) sum += difference * difference;
    if (kind == FeatureSum::manhattan) sum += std::abs(difference);
  }
  return sum;
}

double value_of(const Kernel& kernel, std::span<const double> x, std::span<const double> z) {
  return kernel
      .values_on_the_way<double>([&](const Leaf& leaf) { return leaf.value(sum_over_features(leaf.form().sum, x, z)); },
                                 [](double constant) { return constant; })
      .back();
}

std::vector<Kernel> leaves() {
  return {linear(),       polynomial(0.5, 1, 3), polynomial(2, -0.5, 2), sigmoid(0.7, -0.3), rbf(0.8),
          laplacian(0.6), constant(-2)};
}

}  // namespace

TEST(kernel_depth_is_the_height_of_its_stack) {
  const Kernel x = linear();
  CHECK(x.depth() == 1);
  CHECK(product(sum(x, x), x).depth() == 2);
  CHECK(product(x, sum(x, x)).depth() == 3);
}

TEST(kernel_value_of_each_leaf_is_its_formula) {
  const Table X = random_table(6, 4, 11);
  for (const Kernel& kernel : leaves())
    for (Index i = 0; i < X.rows; ++i)
      for (Index j = 0; j < X.rows; ++j)
        CHECK_NEAR(value_of(kernel, X.row(i), X.row(j)), naive_value(kernel, X.row(i), X.row(j)), 1e-14);
}

TEST(kernel_sums_and_products_nest_as_written) {
  const Kernel a = constant(2), b = constant(3), c = constant(5);
  CHECK(value_of(product(sum(a, b), c), {}, {}) == 25);
  CHECK(value_of(sum(a, product(b, c)), {}, {}) == 17);
  CHECK(value_of(sum(product(a, b), c), {}, {}) == 11);
  CHECK(value_of(product(a, sum(b, c)), {}, {}) == 16);
}

TEST(kernel_self_value_is_the_value_at_distance_zero) {
  const Table X = random_table(5, 3, 12);
  for (const Kernel& kernel : leaves())
    for (Index i = 0; i < X.rows; ++i)
      CHECK_NEAR(kernel.self_value(sum_over_features(FeatureSum::dot, X.row(i), X.row(i))),
                 naive_value(kernel, X.row(i), X.row(i)), 1e-14);
}

TEST(kernel_bound_holds_for_every_pair) {
  const Table X = random_table(30, 3, 13);
  const double largest = largest_squared_norm(X);
  std::vector<Kernel> kernels = leaves();
  kernels.push_back(sum(polynomial(1, -1, 3), product(constant(-4), linear())));
  kernels.push_back(product(sum(linear(), constant(-3)), sum(rbf(1), sigmoid(-1, 0.5))));
  for (const Kernel& kernel : kernels)
    for (Index i = 0; i < X.rows; ++i)
      for (Index j = 0; j < X.rows; ++j)
        CHECK(std::abs(naive_value(kernel, X.row(i), X.row(j))) <= kernel.bound(largest) * (1 + 1e-14));
  CHECK(rbf(0.1).bound(1e300) == 1);
  CHECK(linear().bound(7) == 7);
}

TEST(kernel_knows_whether_it_depends_on_the_difference_alone) {
  CHECK(rbf(1).translation_invariant());
  CHECK(product(sum(rbf(1), laplacian(2)), constant(3)).translation_invariant());
  for (const Kernel& kernel : {linear(), polynomial(1, 0, 2), sigmoid(1, 0)}) {
    CHECK(!kernel.translation_invariant());
    CHECK(!sum(rbf(1), kernel).translation_invariant());
  }
}

TEST(kernel_constants_are_folded_into_leaves) {
  const Table X = random_table(4, 3, 14);
  const Kernel twice = product(constant(2), rbf(0.8)), thrice = product(rbf(0.8), constant(3));
  for (const Kernel& kernel : {twice, thrice}) CHECK(kernel.program().size() == 1);
  CHECK(twice.program().front().leaf.factor() == 2 && thrice.program().front().leaf.factor() == 3);
  const Kernel six = product(constant(2), product(constant(3), sum(rbf(0.8), product(linear(), laplacian(1)))));
  CHECK(six.program().size() == 5);
  for (Index i = 0; i < X.rows; ++i)
    for (Index j = 0; j < X.rows; ++j)
      CHECK_NEAR(naive_value(six, X.row(i), X.row(j)),
                 6 * naive_value(sum(rbf(0.8), product(linear(), laplacian(1))), X.row(i), X.row(j)), 1e-14);
  CHECK(sum(constant(2), constant(3)).program().size() == 1);
  CHECK(product(constant(0), linear()).bound(1e300) == 0);
}

TEST(kernel_multiplies_every_side_of_a_sum_and_one_of_a_product) {
  const Table X = random_table(3, 2, 16);
  const Kernel inner = sum(product(sum(linear(), rbf(1)), sum(laplacian(1), constant(2))), sigmoid(0.5, 0.25));
  const Kernel outer = product(constant(-1.5), inner);
  for (Index i = 0; i < X.rows; ++i)
    for (Index j = 0; j < X.rows; ++j)
      CHECK_NEAR(naive_value(outer, X.row(i), X.row(j)), -1.5 * naive_value(inner, X.row(i), X.row(j)), 1e-14);
}

TEST(kernel_bound_holds_for_factors_and_what_they_multiply) {
  CHECK(product(constant(1e-10), linear()).bound(1e20) == 1e20);
  CHECK(product(constant(-1e10), linear()).bound(1e20) == 1e30);
  CHECK(product(constant(1e10), linear()).bound(1e-20) == 1e10);
}

TEST(kernel_leaves_with_the_same_weights_share_a_frame_and_those_without_have_the_first) {
  const std::vector<double> a{1, 2}, b{2, 1};
  CHECK(rbf(1).frames() == 1 && weighted("rbf", a).frames() == 1);
  CHECK(sum(weighted("rbf", a), weighted("rbf", a)).frames() == 1);
  CHECK(sum(weighted("rbf", a), weighted("rbf", b)).frames() == 2);
  CHECK(sum(weighted("rbf", a), weighted("laplacian", a)).frames() == 2);  // roots there, not here
  const Kernel mixed = product(weighted("rbf", a), sum(linear(), rbf(1)));
  CHECK(mixed.frames() == 2);
  CHECK(!mixed.translation_invariant(0) && mixed.translation_invariant(1) && !mixed.translation_invariant());
  CHECK(mixed.program()[0].frame == 1 && mixed.program()[1].frame == 0);
}

TEST(kernel_weights_for_another_number_of_features_are_refused) {
  const Kernel kernel = sum(linear(), weighted("rbf", {1, 2}));
  kernel.check_features(2);
  CHECK_THROWS(std::invalid_argument, kernel.check_features(3));
  CHECK_THROWS(std::invalid_argument, frame_for(kernel, DenseData<double>(random_table(4, 3, 17))));
}

TEST(kernel_in_a_frame_has_the_same_values_on_scaled_data) {
  const Table X = random_table(4, 3, 14);
  Frame frame;
  frame.scale = 3;
  Table scaled = X;
  for (double& x : scaled.values) x *= frame.scale;
  for (const Kernel& kernel : {rbf(0.8), laplacian(0.6), constant(2), sum(rbf(0.5), rbf(2)),
                               product(rbf(0.5), laplacian(2)), sum(constant(1), product(rbf(0.3), rbf(0.1)))})
    for (Index i = 0; i < X.rows; ++i)
      for (Index j = 0; j < X.rows; ++j)
        CHECK_NEAR(naive_value(kernel.in(frame), scaled.row(i), scaled.row(j)), naive_value(kernel, X.row(i), X.row(j)),
                   1e-14);
}

TEST(kernel_that_depends_on_the_origin_is_not_rescaled) {
  Frame twice;
  twice.scale = 2;
  for (const Kernel& kernel : {linear(), polynomial(1, 0, 2), sigmoid(1, 0), sum(rbf(1), linear())}) {
    CHECK_THROWS(std::logic_error, kernel.in(twice));
    CHECK(kernel.in({}).program().size() == kernel.program().size());
  }
}
