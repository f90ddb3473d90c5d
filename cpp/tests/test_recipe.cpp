// Gram matrices described now and opened later, on data that are shared.
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "mercer/recipe.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
std::vector<T> block_of(const Recipe<T>& recipe) {
  const auto gram = recipe.open();
  CHECK(gram->size() == recipe.size);
  std::vector<T> block(at(recipe.size * recipe.size));
  Stop stop;
  gram->block(count_up_to(recipe.size), block.data(), recipe.size, stop);
  return block;
}

}  // namespace

TEST(shared_data_are_prepared_once_for_all_threads) {
  const DenseData<double> values(random_table(50, 3, 440));
  SharedData<float> data(rbf(1), values);
  CHECK(data.rows() == 50);
  std::shared_ptr<const Prepared<float>> first, second;
  std::thread other([&] { second = data.get(); });
  first = data.get();
  other.join();
  CHECK(first && first == second && first == data.get());
}

TEST(shared_data_refuse_what_does_not_fit_whenever_they_are_asked) {
  const DenseData<double> far(Table{2, 1, {1e14, -1e14}});
  SharedData<float> data(polynomial(1, 0, 3), far);
  for (int again = 0; again < 2; ++again) CHECK_THROWS(std::overflow_error, data.get());
}

TEST(recipe_of_computed_values_opens_at_the_rows_asked_for) {
  const Table X = random_table(20, 3, 441);
  const DenseData<double> values(X);
  SharedData<double> data(rbf(1), values);
  const std::vector<Index> rows{7, 3, 19};
  const std::vector<double> block = block_of(computed_recipe<double>(data, rows, 1));
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      CHECK_NEAR(block[at(3 * i + j)], naive_value(rbf(1), X.row(rows[at(i)]), X.row(rows[at(j)])), 1e-14);
}

TEST(recipe_of_stored_values_opens_at_the_rows_asked_for) {
  const Table K = random_table(20, 20, 442);
  const DenseData<float> values(K);
  const std::vector<Index> rows{7, 3, 19};
  const std::vector<float> block = block_of(stored_recipe<float>(values.view(), rows, 1));
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      CHECK(block[at(3 * i + j)] == static_cast<float>(K.row(rows[at(i)])[at(rows[at(j)])]));
}

TEST(recipe_of_a_source_opens_it_anew_each_time) {
  int asked = 0;
  const RowSource<double> source = [&](std::span<const Index> rows, Index, double* out) {
    ++asked;
    std::fill_n(out, std::ssize(rows) * 4, 2.0);
    return std::ssize(rows) * 4;
  };
  const Recipe<double> recipe = sourced_recipe(source, 4, 1 << 20);
  CHECK(recipe.size == 4 && asked == 0);
  for (int again = 1; again <= 2; ++again) {
    CHECK(block_of(recipe) == std::vector<double>(16, 2.0));
    CHECK(asked == again);
  }
}

TEST(recipe_refuses_rows_outside) {
  const DenseData<double> values(random_table(20, 3, 443)), K(random_table(20, 19, 444));
  SharedData<double> data(rbf(1), values);
  for (const Index wrong : {-1, 20}) {
    const std::vector<Index> rows{0, wrong};
    CHECK_THROWS(std::invalid_argument, computed_recipe<double>(data, rows, 1));
  }
  const std::vector<Index> last{19};
  computed_recipe<double>(data, last, 1);
  CHECK_THROWS(std::invalid_argument, stored_recipe<double>(K.view(), last, 1));
}
