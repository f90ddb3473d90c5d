// The loop over tiles, with a reduction whose results are lists: every pair comes once, and in order.
#include "check.hpp"
#include "reference.hpp"
#include "tiles/for_each_tile.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

using Lists = std::vector<std::vector<Index>>;

// The centres whose kernel value with a query is at least so much, from the given number on.
class Within {
 public:
  struct Part {
    Lists* results;
    Index first;
    Lists own;
    std::vector<Index>& of(Index row) { return results ? (*results)[at(first + row)] : own[at(row)]; }
  };
  static constexpr Index queries_per_chunk = 100;  // chunks that are no whole tiles

  Within(double least, Index from, Lists& out) : least_(least), from_(from), out_(out) {}

  Index spare_results() const { return 1; }
  Index first_centre(Index) const { return from_; }
  Part part(Index first, Index) const { return {&out_, first, {}}; }
  Part spare_part(Index first, Index count) const { return {nullptr, first, Lists(at(count))}; }
  void add(PlacedTile<double>& tile, Part& part) const {
    const double* values = tile.values();
    for (Index a = 0; a < tile.height(); ++a) {
      CHECK(tile.query() + a == part.first + tile.row() + a);
      for (Index b = 0; b < tile.width(); ++b)
        if (values[a * PlacedTile<double>::stride + b] >= least_) part.of(tile.row() + a).push_back(tile.centre() + b);
    }
  }
  void merge(Part& part, Part& later) const {
    for (std::size_t a = 0; a < later.own.size(); ++a) {
      std::vector<Index>& list = part.of(static_cast<Index>(a));
      list.insert(list.end(), later.own[a].begin(), later.own[a].end());
    }
  }

 private:
  double least_;
  Index from_;
  Lists& out_;
};

struct Rows {
  Rows(Index n, Index cols, unsigned seed)
      : table(random_table(n, cols, seed)),
        values(table),
        matrix(values),
        points(matrix, nullptr, {}, Layout::rows),
        panels(matrix, nullptr, {}, Layout::panels),
        all(count_up_to(n)) {}
  Table table;
  DenseData<double> values;
  Matrix matrix;
  Points<double> points, panels;
  std::vector<Index> all;
};

constexpr double least = 0.5;

Lists within(const Rows& X, const Operand<double>& centres, Index from, int threads) {
  Lists found(at(X.table.rows));
  for_each_tile(rbf(1), Operand<double>::ready(X.points), centres, Within(least, from, found), {threads});
  return found;
}

Lists naive_within(const Rows& X, const Rows& Z, Index from) {
  Lists found(at(X.table.rows));
  for (Index i = 0; i < X.table.rows; ++i)
    for (Index j = from; j < Z.table.rows; ++j)
      if (naive_value(rbf(1), X.table.row(i), Z.table.row(j)) >= least) found[at(i)].push_back(j);
  return found;
}

// However the centres come and whoever works on them.
void check_within(Index queries, Index centres, Index from) {
  const Rows X(queries, 3, 430), Z(centres, 3, 431);
  const Lists expected = naive_within(X, Z, from);
  for (const int threads : {1, 3}) {
    CHECK(within(X, Operand<double>::ready(Z.panels), from, threads) == expected);
    CHECK(within(X, Operand<double>::gathered(Z.points, Z.all, Layout::panels), from, threads) == expected);
    CHECK(within(X, Operand<double>::read(Z.matrix, {}, Layout::panels), from, threads) == expected);
  }
}

}  // namespace

TEST(tiles_are_taken_by_queries) {
  check_within(1, 1, 0);
  check_within(450, 300, 0);
  check_within(850, 30, 16);
}

TEST(tiles_are_taken_by_centres_where_queries_are_few) {
  check_within(1, 20'000, 0);
  check_within(130, 9'000, 0);
}

TEST(tiles_of_nothing_are_none) {
  check_within(0, 300, 0);
  check_within(5, 0, 0);
  check_within(0, 20'000, 0);
}

// Of wide rows few are held at once.
TEST(tiles_of_wide_rows_come_in_several_slices) {
  const Index cols = 3000;
  const Rows X(3, cols, 432), Z(600, cols, 433);
  const Kernel kernel = rbf(1.0 / static_cast<double>(cols));
  const auto found = [&](const Operand<double>& centres, int threads) {
    Lists lists(3);
    for_each_tile(kernel, Operand<double>::ready(X.points), centres, Within(least, 0, lists), {threads});
    return lists;
  };
  const Lists expected = found(Operand<double>::ready(Z.panels), 1);
  CHECK(!expected[0].empty() && expected[0].size() < 600);
  CHECK(found(Operand<double>::gathered(Z.points, Z.all, Layout::panels), 2) == expected);
}

TEST(tiles_stop_at_the_deadline_by_queries_and_by_centres) {
  const Rows few(2, 2, 434), many(10'000, 2, 435);
  Lists found(10'000);
  for (const auto& [queries, centres] : {std::pair(&few, &many), std::pair(&many, &few)}) {
    Stop expired(0, 1, nullptr);
    CHECK_THROWS(Stopped,
                 for_each_tile(rbf(1), Operand<double>::ready(queries->points), Operand<double>::ready(centres->panels),
                               Within(least, 0, found), {1, &expired}));
  }
}
