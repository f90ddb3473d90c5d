// Operands give the same rows however they come by them: from points that stand ready, gathered from these, or read.
#include "check.hpp"
#include "reference.hpp"
#include "tiles/operand.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

const Frame doubled{{}, 2};

// Rows first..last of the operand are the chosen rows of X times two.
void check_slice(const Operand<double>& operand, Index first, Index last, const Table& X,
                 const std::vector<Index>& chosen) {
  const Slice<double> slice = operand.slice(first, last);
  CHECK(slice.size() == last - first && slice.number() == first);
  for (Index i = 0; i < slice.size(); ++i)
    for (Index k = 0; k < X.cols; ++k)
      CHECK(slice.points().row(slice.offset() + i)[k] == 2 * X.row(chosen[at(first + i)])[at(k)]);
}

void check_operand(const Operand<double>& operand, const Table& X, const std::vector<Index>& chosen) {
  const Index n = operand.size();
  CHECK(n == std::ssize(chosen));
  check_slice(operand, 0, n, X, chosen);
  check_slice(operand, 3, 8, X, chosen);
  check_slice(operand, n, n, X, chosen);
}

}  // namespace

TEST(operand_gives_every_row) {
  const Table X = random_table(20, 3, 420);
  const DenseData<double> values(X);
  const Matrix matrix = values;
  const Points<double> points(matrix, nullptr, doubled, Layout::rows);
  check_operand(Operand<double>::ready(points), X, count_up_to(20));
  check_operand(Operand<double>::read(matrix, doubled, Layout::rows), X, count_up_to(20));
}

TEST(operand_gives_the_chosen_rows) {
  const Table X = random_table(20, 3, 421);
  const DenseData<double> values(X);
  const Matrix matrix = values;
  const Points<double> points(matrix, nullptr, doubled, Layout::rows);
  const std::vector<Index> chosen = scattered(31, 20, 4);
  check_operand(Operand<double>::gathered(points, chosen, Layout::rows), X, chosen);
  check_operand(Operand<double>::read(matrix, chosen, doubled, Layout::rows), X, chosen);
}

TEST(operand_holds_whole_tiles_of_a_few_megabytes_at_once) {
  const auto rows_at_once = [](Index cols) {
    const Matrix none = Dense<double>{nullptr, 0, cols};
    return Operand<double>::read(none, doubled, Layout::panels).rows_at_once();
  };
  CHECK(rows_at_once(60) == 16'640);
  CHECK(rows_at_once(0) % 256 == 0 && rows_at_once(0) > 0);
  CHECK(rows_at_once(1'000'000) == 256);
  const DenseData<double> values(random_table(500, 2, 422));
  CHECK(Operand<double>::ready(Points<double>(values, nullptr, {}, Layout::panels)).rows_at_once() == 500);
}
