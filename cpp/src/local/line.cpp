// Fits       a polynomial around each query, rows of one feature
// Given      rows in ascending order, the run of rows of each window
// Returns    values at the queries, and what tells of their variance
// How        sums of powers about the query. Windows that are polynomials take them from moments of runs of rows, so
//            that a query costs the logarithm of its rows; others row by row
// See        docs/concepts/local_regression.md; Cleveland (1979), JASA 74, 829-836
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "local/careful.hpp"
#include "local/moment_tree.hpp"
#include "local/system.hpp"
#include "local/window.hpp"
#include "mercer/indexing.hpp"
#include "mercer/local.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index queries_at_once = 32;
// What a tree takes to build for each row, and to ask for each query, as measured: in rows summed one by one.
constexpr Index rows_to_build = 8;
constexpr Index rows_to_ask = 1000;
// Rows that weigh less count as absent where there are few others, as in statsmodels.
constexpr double least_weight = 1e-12;

// They are read in whole vectors, whatever the level.
Index moments_of(const WindowPolynomial& window) {
  constexpr Index widest = lanes<double>;
  return (window.degree + widest) / widest * widest + most_powers - 1;
}

class LineFit {
 public:
  LineFit(const LineTask& task, const LocalModel& model, const Workers& workers)
      : task_(task), model_(model), powers_(2 * model.order + 1) {
    Index pairs = 0;
    for (std::size_t q = 0; q < task.begins.size(); ++q) pairs += task.ends[q] - task.begins[q];
    if (!is_polynomial(model.window) || pairs < rows_to_build * task.rows.count + rows_to_ask * length(task.queries))
      return;
    const LineRows& rows = task.rows;
    window_ = polynomial_of(model.window);
    tree_.emplace(rows.x, rows.prior, rows.y, rows.count, moments_of(window_), workers);
    if (!model.squares) return;
    squared_window_ = squared_polynomial_of(model.window);
    std::vector<double> squares(static_cast<std::size_t>(rows.count));
    for (Index i = 0; i < rows.count; ++i) at(squares, i) = rows.prior[i] * rows.prior[i] * rows.noise[i];
    squares_.emplace(rows.x, squares.data(), nullptr, rows.count, moments_of(squared_window_), workers);
  }

  void fit(Index q, LocalSystem& system, LocalFit& out) const {
    const LinePlace place = place_of(q);
    const LineSums sums = sums_of(q, place);
    if (!(sums.weights[0] > 0)) {
      std::ranges::fill(out.values, std::numeric_limits<double>::quiet_NaN());
      out.inverse = out.squares = std::numeric_limits<double>::quiet_NaN();
      out.state = LocalState::empty;
      return;
    }
    const Index p = model_.order + 1;
    const double u = (place.query - place.origin) * place.unit;
    double power = 1;
    for (Index i = 0; i < p; ++i) {
      for (Index j = 0; j <= i; ++j) {
        at(system.gram, i * p + j) = sums.weights[i + j];
        if (model_.squares) at(system.squares, i * p + j) = sums.squares[i + j];
      }
      at(system.sums, i) = sums.targets[i];
      at(system.at, i) = power;
      power *= u;
    }
    if (!system.solve(out)) fit_carefully(q, place, out);
  }

 private:
  LinePlace place_of(Index q) const {
    const Index first = at(task_.begins, q), last = at(task_.ends, q);
    const double query = at(task_.queries, q);
    if (first >= last) return {query, at(task_.inverse_radius, q), query, 1};
    // About a query far from all rows powers would differ by rounding only.
    const double low = task_.rows.x[first], high = task_.rows.x[last - 1], origin = std::clamp(query, low, high);
    const double reach = std::max(origin - low, high - origin);
    return {query, at(task_.inverse_radius, q), origin, reach > 0 ? 1 / reach : 1};
  }

  LineRows part(Index first, Index last) const {
    const LineRows& rows = task_.rows;
    return {rows.x + first, rows.y + first, rows.prior + first, rows.noise + first, last - first};
  }

  LineSums sums_of(Index q, const LinePlace& place) const {
    LineSums sums;
    const Index first = at(task_.begins, q), last = at(task_.ends, q);
    if (!tree_) {
      local_ops().line_sums(model_.window, model_.order, model_.squares, part(first, last), place, sums);
      return sums;
    }
    const double* x = task_.rows.x;
    const Index middle = std::lower_bound(x + first, x + last, place.query) - x;
    for (const bool is_right : {false, true}) {
      const Index from = is_right ? middle : first, to = is_right ? last : middle;
      const auto place_of_node = [&](const MomentTree::Node& node) -> NodePlace {
        return {std::abs(node.centre - place.query) * place.inverse_radius,
                (is_right ? node.radius : -node.radius) * place.inverse_radius,
                (node.centre - place.origin) * place.unit, node.radius * place.unit};
      };
      tree_->cover(
          from, to,
          [&](const MomentTree::Node& node) {
            local_ops().node_sums(
                window_, place_of_node(node),
                {{node.moments, powers_, sums.weights}, {node.of_targets, model_.order + 1, sums.targets}});
          },
          [&](Index a, Index b) {
            local_ops().line_sums(model_.window, model_.order, model_.squares, part(a, b), place, sums);
          });
      if (model_.squares)
        squares_->cover(
            from, to,
            [&](const MomentTree::Node& node) {
              local_ops().node_sums(squared_window_, place_of_node(node), {{node.moments, powers_, sums.squares}});
            },
            [](Index, Index) {});  // counted above: both trees have the same ends
    }
    return sums;
  }

  void fit_carefully(Index q, const LinePlace& place, LocalFit& out) const {
    const Index first = at(task_.begins, q), last = at(task_.ends, q);
    std::vector<double> all(static_cast<std::size_t>(last - first));
    local_ops().weights(model_.window, task_.rows.x + first, last - first, last - first, 1, &place.query,
                        place.inverse_radius, task_.rows.prior + first, all.data());
    std::vector<Index> chosen;
    double total = 0, mean = 0;
    for (Index i = first; i < last; ++i)
      if (at(all, i - first) > 0) chosen.push_back(i);
    for (const Index i : chosen) total += at(all, i - first);
    for (const Index i : chosen) mean += at(all, i - first) / total * (task_.rows.x[i] - place.origin);
    const Index p = model_.order + 1, m = length(chosen);
    CarefulSystem system(m, p);
    std::vector<double> targets, noise, query(static_cast<std::size_t>(p));
    const auto powers = [&](double x, auto set) {
      const double u = ((x - place.origin) - mean) * place.unit;
      double power = 1;
      for (Index i = 0; i < p; ++i, power *= u) set(i, power);
    };
    for (Index r = 0; r < m; ++r) {
      const Index i = at(chosen, r);
      const double root = std::sqrt(at(all, i - first));
      system.root_weights()[r] = root;
      powers(task_.rows.x[i], [&](Index k, double power) { system.column(k)[r] = root * power; });
      targets.push_back(task_.rows.y[i]);
      noise.push_back(task_.rows.noise[i]);
    }
    powers(place.query, [&](Index k, double power) { at(query, k) = power; });
    system.solve(query, targets.data(), noise.data(), model_.ridge, out);
    if (std::ranges::count_if(all, [](double w) { return w > least_weight; }) < 2) out.state = LocalState::single;
  }

  const LineTask& task_;
  const LocalModel& model_;
  Index powers_;
  WindowPolynomial window_, squared_window_;
  std::optional<MomentTree> tree_, squares_;
};

}  // namespace

LocalFits::LocalFits(Index queries, Index targets, bool asks_squares)
    : values(static_cast<std::size_t>(queries * targets)),
      inverse(static_cast<std::size_t>(queries)),
      squares(asks_squares ? inverse.size() : 0),
      states(inverse.size()) {}

LocalFits fit_line(const LineTask& task, const LocalModel& model, const Workers& workers) {
  const Index queries = length(task.queries);
  LocalFits found(queries, 1, model.squares);
  const LineFit line(task, model, workers);
  parallel_for((queries + queries_at_once - 1) / queries_at_once, workers.threads,
               [&](Index chunk) {
                 LocalSystem system(model.order + 1, 1, model.squares);
                 for (Index q = chunk * queries_at_once; q < std::min(queries, (chunk + 1) * queries_at_once); ++q) {
                   LocalFit one{{&at(found.values, q), 1}};
                   line.fit(q, system, one);
                   at(found.inverse, q) = one.inverse;
                   if (model.squares) at(found.squares, q) = one.squares;
                   at(found.states, q) = static_cast<std::uint8_t>(one.state);
                 }
               },
               workers.stop);
  return found;
}

std::vector<std::int64_t> lowess_anchors(std::span<const double> x, double delta) {
  std::vector<std::int64_t> anchors;
  const Index n = length(x);
  for (Index i = 0; i < n;) {
    anchors.push_back(i);
    Index last = i, k = i + 1;
    for (; k < n && at(x, k) <= at(x, i) + delta; ++k)
      if (at(x, k) == at(x, i)) last = k;
    if (last == n - 1) break;
    // Where the rest is within delta, the last but one is fitted as well, as in statsmodels.
    i = std::max(std::min(k, n - 1) - 1, last + 1);
  }
  return anchors;
}

}  // namespace mercer
