// Leaves as values: their names and numbers, what is refused, scales.
#include <stdexcept>

#include "check.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(leaf_has_the_name_and_the_numbers_that_it_is_given) {
  const Leaf leaf("polynomial", {{"degree", 3}, {"gamma", 0.5}});
  CHECK(leaf.form().name == "polynomial");
  CHECK(leaf.parameter("gamma") == 0.5 && leaf.parameter("coef0") == 0 && leaf.parameter("degree") == 3);
  CHECK(Leaf("rbf").parameter("gamma") == 1);
}

TEST(leaf_of_an_unknown_name_or_with_an_unknown_parameter_is_refused) {
  CHECK_THROWS(std::invalid_argument, Leaf("no such leaf"));
  CHECK_THROWS(std::invalid_argument, Leaf(""));
  CHECK_THROWS(std::invalid_argument, Leaf("rbf", {{"coef0", 1}}));
  CHECK_THROWS(std::invalid_argument, Leaf("linear", {{"gamma", 1}}));
  CHECK_THROWS(std::invalid_argument, Leaf("linear").parameter("gamma"));
}

TEST(leaf_forms_are_in_the_order_of_their_numbers_without_a_name_twice) {
  for (std::size_t i = 0; i < leaf_forms().size(); ++i) {
    CHECK(static_cast<std::size_t>(Leaf(leaf_forms()[i].name).number()) == i);
    CHECK(leaf_forms()[i].parameters.size() <= most_parameters);
  }
}

TEST(leaf_with_gamma_zero_is_constant) {
  for (const LeafForm& form : leaf_forms()) {
    if (form.gamma < 0) continue;
    CHECK(Leaf(form.name, {{"gamma", 0}}).is_constant());
    CHECK(!Leaf(form.name, {{"gamma", 1e-300}}).is_constant());
  }
  CHECK(!Leaf("linear").is_constant());
}

TEST(leaf_values_are_bounded_on_rows_within_the_norm) {
  const Table X = random_table(12, 3, 15);
  const double largest = largest_squared_norm(X);
  for (const LeafForm& form : leaf_forms()) {
    const Leaf leaf(form.name);
    for (Index i = 0; i < X.rows; ++i)
      for (Index j = 0; j < X.rows; ++j)
        CHECK(std::abs(naive_leaf(leaf, X.row(i), X.row(j))) <= form.bound(leaf.parameters(), largest) * (1 + 1e-14));
  }
}

TEST(leaf_of_the_dot_product_is_not_rescaled) {
  for (const LeafForm& form : leaf_forms()) {
    if (form.translation_invariant()) continue;
    CHECK(Leaf(form.name).natural_scale() == 1);
    CHECK_THROWS(std::logic_error, Leaf(form.name).rescaled(2));
    CHECK(Leaf(form.name).rescaled(1).number() == Leaf(form.name).number());
  }
}

TEST(leaf_natural_scale_brings_the_distances_to_order_one) {
  CHECK(Leaf("rbf", {{"gamma", 4}}).natural_scale() == 2);
  CHECK(Leaf("laplacian", {{"gamma", 4}}).natural_scale() == 4);
  CHECK(Leaf("rbf", {{"gamma", 4}}).rescaled(2).parameter("gamma") == 1);
  CHECK(Leaf("laplacian", {{"gamma", 4}}).rescaled(4).parameter("gamma") == 1);
}

TEST(leaf_weights_are_scales_of_the_features) {
  const std::vector<double> weights{4, 0, 1};
  CHECK((Leaf("rbf", {}, weights).feature_scales() == std::vector<double>{2, 0, 1}));
  CHECK(Leaf("laplacian", {}, weights).feature_scales() == weights);
  CHECK(Leaf("rbf").feature_scales().empty());
  CHECK(Leaf("rbf", {}, weights).without_weights().weights().empty());
  CHECK(Leaf("rbf", {}, {0, 0}).is_constant() && !Leaf("rbf", {}, weights).is_constant());
}

TEST(leaf_weights_that_are_no_numbers_or_have_no_meaning_are_refused) {
  CHECK_THROWS(std::invalid_argument, Leaf("rbf", {}, {1, -1}));
  CHECK_THROWS(std::invalid_argument, Leaf("rbf", {}, {1, std::nan("")}));
  CHECK_THROWS(std::invalid_argument, Leaf("laplacian", {}, {std::numeric_limits<double>::infinity()}));
  CHECK_THROWS(std::invalid_argument, Leaf("linear", {}, {1, 1}));
  CHECK_THROWS(std::invalid_argument, Leaf("polynomial", {}, {1, 1}));
}

TEST(leaf_factors_multiply) {
  const Leaf leaf = Leaf("polynomial", {{"coef0", 1}}).times(2).times(-3);
  CHECK(leaf.factor() == -6 && leaf.value(4) == -30);
}
