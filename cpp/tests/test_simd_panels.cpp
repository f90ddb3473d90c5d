// The fused loops over panels: values and weighted sums of every leaf, against plain loops over doubles.
#include "check.hpp"
#include "leaf_loops.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Random rows against random panels. What lies between the rows is never to be read.
template <class T>
struct Block {
  Block(const Ops<T>& op, Index na, Index panels, Index d, unsigned seed)
      : in{nullptr, nullptr, na, d + 3, nullptr, nullptr, panels, d}, width(panels * lanes<T>) {
    Random random(seed);
    A.assign(at(na * in.stride), std::numeric_limits<T>::quiet_NaN());
    B.resize(at(width * d));
    for (Index a = 0; a < na; ++a) {
      for (Index k = 0; k < d; ++k) A[at(a * in.stride + k)] = static_cast<T>(random());
      A_norms.push_back(op.self_dot(A.data() + a * in.stride, d, false));
    }
    for (Index b = 0; b < width; ++b) {
      const std::vector<T> row = random.vector<T>(d);
      for (Index k = 0; k < d; ++k) B[at(b / lanes<T> * lanes<T> * d + k * lanes<T> + b % lanes<T>)] = row[at(k)];
      B_norms.push_back(op.self_dot(row.data(), d, false));
    }
    in.A = A.data();
    in.A_norms = A_norms.data();
    in.B = B.data();
    in.B_norms = B_norms.data();
  }
  Block(const Block&) = delete;

  std::vector<double> row(Index a) const { return as_double(std::span(A).subspan(at(a * in.stride), at(in.d))); }
  std::vector<double> centre(Index b) const {
    std::vector<double> values;
    for (Index k = 0; k < in.d; ++k)
      values.push_back(static_cast<double>(B[at(b / lanes<T> * lanes<T> * in.d + k * lanes<T> + b % lanes<T>)]));
    return values;
  }

  PanelBlock<T> in;
  Index width;
  std::vector<T> A, B, A_norms, B_norms;
};

// Row counts around the register blocks (2 and 6 rows) of both levels, and the most there can be.
const std::vector<Index> row_counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, rows_at_once};

template <class Check>
void for_every_block(Check check) {
  at_every_level([&](auto type, const auto& op) {
    using T = decltype(type);
    for (const Index na : row_counts)
      for (const Index panels : {1, 2, 3})
        for (const Index d : {0, 1, 2, 17}) {
          const Block<T> block(op, na, panels, d, static_cast<unsigned>(1 + d));
          for (const Loop& loop : every_loop(d)) check(op, block, loop);
        }
  });
}

template <class T>
std::vector<T> values_of(const Ops<T>& op, const Block<T>& block, const Loop& loop, Index ld) {
  std::vector<T> out(at(block.in.na * ld), T(-99));
  loops_of(op, loop).values(block.in, numbers_of<T>(loop), out.data(), ld);
  return out;
}

}  // namespace

TEST(simd_panel_values_of_every_leaf_equal_plain_loops) {
  for_every_block([]<class T>(const Ops<T>& op, const Block<T>& block, const Loop& loop) {
    const Index ld = block.width + 3;
    const std::vector<T> found = values_of(op, block, loop, ld);
    for (Index b = 0; b < block.width; ++b) {
      const std::vector<double> centre = block.centre(b);
      for (Index a = 0; a < block.in.na; ++a)
        CHECK_NEAR(static_cast<double>(found[at(a * ld + b)]), naive_leaf(loop.leaf, block.row(a), centre),
                   loop_rounding<T>(block.in.d));
    }
    for (Index a = 0; a < block.in.na; ++a)
      for (Index b = block.width; b < ld; ++b) CHECK(found[at(a * ld + b)] == T(-99));
  });
}

// The sums round to T on the way, so they are compared with the loops' own values, to the rounding of a sum.
TEST(simd_panel_sums_of_every_leaf_add_what_the_values_add_up_to) {
  for_every_block([]<class T>(const Ops<T>& op, const Block<T>& block, const Loop& loop) {
    Random random(2);
    const std::vector<T> coef = random.vector<T>(block.width), values = values_of(op, block, loop, block.width);
    const std::vector<double> before = random.vector(block.in.na);
    std::vector<double> out = before;
    loops_of(op, loop).sums(block.in, numbers_of<T>(loop), coef.data(), out.data());
    for (Index a = 0; a < block.in.na; ++a) {
      double sum = 0, size = 0;
      for (Index b = 0; b < block.width; ++b) {
        const double term = static_cast<double>(values[at(a * block.width + b)]) * static_cast<double>(coef[at(b)]);
        sum += term;
        size += std::abs(term);
      }
      // Terms of a lane, one from each vector of each panel, meet in T.
      const double terms = static_cast<double>(block.in.panels * lanes<T>) / 2;
      CHECK_NEAR(out[at(a)] - before[at(a)], sum, (size * terms + 1) * std::numeric_limits<T>::epsilon());
    }
  });
}

TEST(simd_panel_sums_leave_out_lanes_without_a_coefficient) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Block<T> block(op, 7, 2, 3, 3);
    for (const Loop& loop : every_loop(3))
      for (Index only = 0; only < block.width; only += 5) {
        std::vector<T> coef(at(block.width), T(0));
        coef[at(only)] = T(2);
        std::vector<double> out(7, 0.0);
        loops_of(op, loop).sums(block.in, numbers_of<T>(loop), coef.data(), out.data());
        const std::vector<T> values = values_of(op, block, loop, block.width);
        for (Index a = 0; a < 7; ++a) CHECK(out[at(a)] == 2 * static_cast<double>(values[at(a * block.width + only)]));
      }
  });
}

// Features are taken a thousand or so at a time.
TEST(simd_panel_values_of_wide_rows_equal_plain_loops) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (const Index d : {255, 1023, 1024, 1025, 2500}) {
      const Block<T> block(op, 7, 2, d, static_cast<unsigned>(1 + d));
      for (const Loop& loop : every_loop(d)) {
        const std::vector<T> found = values_of(op, block, loop, block.width);
        // Gamma scales the errors down where there is one.
        const double tol = loop_rounding<T>(loop.leaf.form().gamma < 0 ? d : 8);
        for (Index b = 0; b < block.width; ++b)
          for (Index a = 0; a < block.in.na; ++a)
            CHECK_NEAR(static_cast<double>(found[at(a * block.width + b)]),
                       naive_leaf(loop.leaf, block.row(a), block.centre(b)), tol);
      }
    }
  });
}

// By norms and a dot product, whatever the size of the row: gamma would tell a distance that is not zero.
TEST(simd_rows_have_distance_zero_from_themselves) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(4);
    for (const Index d : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 40, 255, 1024, 1025, 3000})
      for (const double size : {1e-3, 1.0, 15.0}) {
        std::vector<T> x = random.vector<T>(d), panel(at(d * lanes<T>)), value(at(lanes<T>));
        for (T& feature : x) feature *= static_cast<T>(size);
        for (Index k = 0; k < d; ++k) std::fill_n(panel.begin() + k * lanes<T>, lanes<T>, x[at(k)]);
        const T norm = op.self_dot(x.data(), d, false);
        const std::vector<T> norms(at(lanes<T>), norm);
        const PanelBlock<T> block{x.data(), &norm, 1, d, panel.data(), norms.data(), 1, d};
        op.products(block, value.data(), lanes<T>);
        for (const T dot : value) CHECK(dot == norm);
        const Loop narrow = loop_of("rbf", {{"gamma", 1e6}});
        loops_of(op, narrow).values(block, numbers_of<T>(narrow), value.data(), lanes<T>);
        for (const T self : value) CHECK(self == 1);
        double exact = 0;
        for (const T feature : x) exact += static_cast<double>(feature) * static_cast<double>(feature);
        CHECK_NEAR(static_cast<double>(norm), exact, exact * loop_rounding<T>(d));
      }
  });
}

TEST(simd_differences_tell_small_distances_between_long_rows) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const std::vector<T> x{T(4096), T(-4096)};
    std::vector<T> panel(at(2 * lanes<T>)), value(at(lanes<T>));
    for (Index b = 0; b < lanes<T>; ++b) {
      panel[at(b)] = T(4096) + static_cast<T>(b) / 16;
      panel[at(lanes<T> + b)] = T(-4096);
    }
    const T norm = op.self_dot(x.data(), 2, false);
    const std::vector<T> norms(at(lanes<T>), norm);
    const PanelBlock<T> block{x.data(), &norm, 1, 2, panel.data(), norms.data(), 1, 2};
    const Loop loop{Leaf("rbf"), true};
    loops_of(op, loop).values(block, numbers_of<T>(loop), value.data(), lanes<T>);
    for (Index b = 0; b < lanes<T>; ++b) {
      const double squared = static_cast<double>(b * b) / 256;
      CHECK_NEAR(static_cast<double>(value[at(b)]), std::exp(-squared), loop_rounding<T>(2));
    }
  });
}
