// The fused loops over compressed rows: a table of queries, some of whose lanes and columns are empty.
#include "check.hpp"
#include "leaf_loops.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Index cols = 20;

// `queries` queries in the first lanes of a table, against rows of 0, 1, 2 ... entries, some in columns that no query
// uses. The rows stand in the midst of others, their columns in no order.
template <class T>
struct Block {
  Block(const Ops<T>& op, Index queries, Index rows, const Loop& loop, unsigned seed)
      : Q(random_table(queries, cols, seed, 0.2)), P(random_table(rows, cols, seed + 1, 0.4)) {
    for (Index i = 0; i < queries; ++i) Q.row(i)[4] = Q.row(i)[11] = 0;  // for these columns there is no slot
    for (Index i = 0; i < rows; ++i) P.row(i)[4] = 0.5;
    for (Index i = 0; i < rows; i += 7) std::ranges::fill(P.row(i), 0.0);

    table.assign(at(table_lanes<T>), T(0));
    offset.assign(at(table_lanes<T>), T(0));
    query_norms.assign(at(table_lanes<T>), T(0));
    slots.assign(at(cols), 0);
    for (Index k = 0; k < cols; ++k)
      for (Index q = 0; q < queries; ++q) {
        if (Q.row(q)[at(k)] == 0) continue;
        if (slots[at(k)] == 0) {
          slots[at(k)] = static_cast<std::int32_t>(table.size() / at(table_lanes<T>));
          table.resize(table.size() + at(table_lanes<T>), T(0));
        }
        table[at(slots[at(k)] * table_lanes<T> + q)] = static_cast<T>(Q.row(q)[at(k)]);
        if (loop.leaf.form().sum == FeatureSum::manhattan) offset[at(q)] += static_cast<T>(std::abs(Q.row(q)[at(k)]));
      }
    for (Index q = 0; q < queries; ++q) {
      const std::vector<T> row(Q.row(q).begin(), Q.row(q).end());
      query_norms[at(q)] = op.self_dot(row.data(), cols, true);
    }

    columns.assign(3, 4), values.assign(3, T(99));  // of a row before the first
    for (Index b = 0; b < rows; ++b) {
      begin.push_back(static_cast<Index>(columns.size()));
      for (Index e = 0; e < cols; ++e) {
        const Index k = (7 * e + 3 * b) % cols;
        if (P.row(b)[at(k)] == 0) continue;
        columns.push_back(static_cast<std::int32_t>(k));
        values.push_back(static_cast<T>(P.row(b)[at(k)]));
      }
      norms.push_back(
          op.self_dot(values.data() + begin.back(), static_cast<Index>(values.size()) - begin.back(), true));
    }
    begin.push_back(static_cast<Index>(columns.size()));
    in = {table.data(),  slots.data(), offset.data(), query_norms.data(), begin.data(), columns.data(),
          values.data(), norms.data(), rows};
  }
  Block(const Block&) = delete;

  // Lanes beyond the queries hold a row of zeros.
  double value(const Loop& loop, Index q, Index b) const {
    const std::vector<double> zeros(at(cols), 0.0);
    return naive_leaf(loop.leaf, q < Q.rows ? Q.row(q) : std::span(zeros), P.row(b));
  }

  Table Q, P;
  SparseBlock<T> in;
  std::vector<T> table, offset, query_norms, values, norms;
  std::vector<std::int32_t> slots, columns;
  std::vector<Index> begin;
};

template <class Check>
void for_every_block(Check check) {
  at_every_level([&](auto type, const auto& op) {
    using T = decltype(type);
    for (const Loop& loop : every_loop(cols)) {
      if (loop.by_differences) continue;
      for (const Index queries : {Index(1), Index(2), lanes<T> - 1, lanes<T> + 1, table_lanes<T>})
        for (const Index rows : {0, 1, 2, 29}) {
          const Block<T> block(op, queries, rows, loop, static_cast<unsigned>(300 + queries));
          check(op, block, loop);
        }
    }
  });
}

}  // namespace

TEST(simd_sparse_values_of_every_leaf_equal_plain_loops) {
  for_every_block([]<class T>(const Ops<T>& op, const Block<T>& block, const Loop& loop) {
    std::vector<T> out(at(block.P.rows * table_lanes<T>), T(-99));
    loops_of(op, loop).sparse_values(block.in, numbers_of<T>(loop), out.data());
    for (Index b = 0; b < block.P.rows; ++b)
      for (Index q = 0; q < table_lanes<T>; ++q)
        CHECK_NEAR(static_cast<double>(out[at(b * table_lanes<T> + q)]), block.value(loop, q, b),
                   loop_rounding<T>(cols));
  });
}

TEST(simd_sparse_sums_of_every_leaf_add_what_the_values_add_up_to) {
  for_every_block([]<class T>(const Ops<T>& op, const Block<T>& block, const Loop& loop) {
    Random random(301);
    const std::vector<T> coef = random.vector<T>(block.P.rows);
    const std::vector<double> before = random.vector(table_lanes<T>);
    std::vector<T> values(at(block.P.rows * table_lanes<T>));
    std::vector<double> out = before;
    loops_of(op, loop).sparse_values(block.in, numbers_of<T>(loop), values.data());
    loops_of(op, loop).sparse_sums(block.in, numbers_of<T>(loop), coef.data(), out.data());
    for (Index q = 0; q < table_lanes<T>; ++q) {
      double sum = 0, size = 0;
      for (Index b = 0; b < block.P.rows; ++b) {
        const double term = static_cast<double>(coef[at(b)]) * static_cast<double>(values[at(b * table_lanes<T> + q)]);
        sum += term;
        size += std::abs(term);
      }
      const double terms = static_cast<double>(block.P.rows) / 2;
      CHECK_NEAR(out[at(q)] - before[at(q)], sum, (size * terms + 1) * std::numeric_limits<T>::epsilon());
    }
  });
}

TEST(simd_sparse_rows_have_distance_zero_from_themselves) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(302);
    for (const Index d : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 40, 255, 1024, 1025, 3000}) {
      const std::vector<T> x = random.vector<T>(d);
      std::vector<std::int32_t> columns(at(d)), slots(at(d));
      std::vector<T> table(at((d + 1) * table_lanes<T>), T(0)), offset(at(table_lanes<T>), T(0));
      T manhattan = 0;
      for (Index k = 0; k < d; ++k) {
        columns[at(k)] = static_cast<std::int32_t>(d - 1 - k);
        slots[at(d - 1 - k)] = static_cast<std::int32_t>(k + 1);
        std::fill_n(table.begin() + (k + 1) * table_lanes<T>, table_lanes<T>, x[at(k)]);
        manhattan += std::abs(x[at(k)]);
      }
      const T norm = op.self_dot(x.data(), d, true);
      const std::vector<T> norms(at(table_lanes<T>), norm);
      const std::vector<Index> begin{0, d};
      SparseBlock<T> block{
          table.data(), slots.data(), offset.data(), norms.data(), begin.data(), columns.data(), x.data(), &norm, 1};
      std::vector<T> value(at(table_lanes<T>));
      const Loop squared = loop_of("rbf", {{"gamma", 1e6}}), absolute = loop_of("laplacian", {{"gamma", 1e6}});
      loops_of(op, squared).sparse_values(block, numbers_of<T>(squared), value.data());
      for (const T self : value) CHECK(self == 1);
      // Absolute values are summed in the same order with either sign.
      std::ranges::fill(offset, manhattan);
      loops_of(op, absolute).sparse_values(block, numbers_of<T>(absolute), value.data());
      for (const T self : value) CHECK(self == 1);
    }
  });
}

TEST(simd_differences_are_offered_for_squared_distances_of_dense_rows_only) {
  at_every_level([](auto, const auto& op) {
    for (std::size_t number = 0; number < leaf_forms().size(); ++number) {
      const auto& loops = op.leaves_by_differences[number];
      CHECK(loops.sparse_values == nullptr && loops.sparse_sums == nullptr);
      CHECK((loops.values != nullptr) == (leaf_forms()[number].sum == FeatureSum::squared_distance));
    }
  });
}
