// Fits       a polynomial around each query, rows of several features
// Given      rows, queries, the radius of each window; the rows of each window, or none: then all rows may be in it
// Returns    values at the queries, and what tells of their variance
// How        where all rows may be in all windows, some queries at a time: the moments of all their systems are one
//            product, of the weights and of the monomials of the rows about the middle of these queries. Systems that
//            come out badly, and queries with a list of rows, one by one about the query itself
// See        docs/concepts/local_regression.md; Cleveland, Devlin (1988), JASA 83, 596-610
#include <algorithm>
#include <cmath>
#include <limits>

#include "local/listed.hpp"
#include "mercer/buffer.hpp"
#include "mercer/indexing.hpp"
#include "mercer/local.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index queries_at_once = rows_at_once;
constexpr Index listed_at_once = 16;
// Rows whose weights and monomials are in the cache together.
constexpr Index block = 128;

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

void keep(const LocalFit& one, Index q, LocalFits& found) {
  at(found.inverse, q) = one.inverse;
  if (!found.squares.empty()) at(found.squares, q) = one.squares;
  at(found.states, q) = static_cast<std::uint8_t>(one.state);
}

LocalFit place_for(Index q, Index targets, LocalFits& found) {
  return {std::span(found.values).subspan(size(q * targets), size(targets))};
}

// What all threads read: rows in columns, and which product of two monomials is which.
struct Shared {
  Shared(const CloudTask& task_of_all, const LocalModel& model_of_all)
      : task(task_of_all),
        model(model_of_all),
        monomials(task.rows.cols, 2 * model.order),
        terms(monomials.count_up_to(model.order)),
        columns(task.rows.rows * task.rows.cols),
        everything(counted(0, task.rows.rows)) {
    for (Index i = 0; i < task.rows.rows; ++i)
      for (Index k = 0; k < task.rows.cols; ++k) columns[k * task.rows.rows + i] = task.rows.row(i)[k];
    for (Index i = 0; i < terms; ++i)
      for (Index j = 0; j <= i; ++j) products.push_back(monomials.product(i, j));
  }

  const CloudTask& task;
  const LocalModel& model;
  Monomials monomials;
  Index terms;  // of the polynomials that are fitted
  Buffer<double> columns;
  std::vector<Index> products;  // lower triangle, row after row
  std::vector<std::int64_t> everything;
};

// Some queries against all rows.
class Together {
 public:
  Together(const Shared& shared, Index first, Index count)
      : shared_(shared),
        task_(shared.task),
        first_(first),
        count_(count),
        d_(task_.rows.cols),
        targets_(task_.targets.cols),
        panels_((shared.monomials.count() + targets_ * shared.terms + lanes<double> - 1) / lanes<double>),
        moment_panels_((shared.monomials.count() + lanes<double> - 1) / lanes<double>),
        origin_(size(d_), 0.0),
        weights_(count * block),
        values_(panels_ * lanes<double> * block),
        product_(count * panels_ * lanes<double>),
        sums_(size(product_.size()), 0.0) {
    for (Index q = 0; q < count; ++q)
      for (Index k = 0; k < d_; ++k) at(origin_, k) += task_.queries.row(first + q)[k] / static_cast<double>(count);
    double reach = 0;
    const Index n = task_.rows.rows;
    for (Index k = 0; k < d_; ++k)
      for (Index i = 0; i < n; ++i) reach = std::max(reach, std::abs(shared.columns[k * n + i] - at(origin_, k)));
    unit_ = reach > 0 ? 1 / reach : 1;
    if (shared.model.squares) {
      squared_weights_ = Buffer<double>(weights_.size());
      squares_.assign(size(count * moment_panels_ * lanes<double>), 0.0);
    }
  }

  void fit(LocalFits& found) {
    for (Index from = 0; from < task_.rows.rows; from += block) {
      add_block(from);
      poll_inside();
    }
    LocalSystem system(shared_.terms, targets_, shared_.model.squares);
    std::vector<Index> hard;
    for (Index q = 0; q < count_; ++q) {
      LocalFit one = place_for(first_ + q, targets_, found);
      assemble(q, system);
      if (system.gram[0] > 0 && system.solve(one) && one.state == LocalState::solved)
        keep(one, first_ + q, found);
      else
        hard.push_back(first_ + q);
    }
    if (hard.empty()) return;
    ListedFit listed(task_, shared_.model);
    for (const Index q : hard) {
      LocalFit one = place_for(q, targets_, found);
      listed.fit(q, shared_.everything, one);
      keep(one, q, found);
      poll_inside();
    }
  }

 private:
  void add_block(Index from) {
    const Index rows = std::min(block, task_.rows.rows - from), n = task_.rows.rows;
    for (Index q = 0; q < count_; ++q)
      local_ops().weights(shared_.model.window, shared_.columns.data() + from, n, rows, d_,
                          task_.queries.row(first_ + q), at(task_.inverse_radius, first_ + q),
                          task_.prior.data() + from, weights_.data() + q * block);
    evaluate(from, rows);
    add_product(weights_.data(), rows, panels_, sums_.data());
    if (!shared_.model.squares) return;
    for (Index q = 0; q < count_; ++q)
      for (Index r = 0; r < rows; ++r) {
        const double weight = weights_[q * block + r];
        squared_weights_[q * block + r] = weight * weight * at(task_.noise, from + r);
      }
    add_product(squared_weights_.data(), rows, moment_panels_, squares_.data());
  }

  // Monomials of the rows, and those of the polynomials times each target, in panels.
  void evaluate(Index from, Index rows) {
    const Index monomials = shared_.monomials.count(), terms = shared_.terms, width = panels_ * lanes<double>;
    std::vector<double> u(size(d_)), row(size(width), 0.0);
    for (Index r = 0; r < rows; ++r) {
      const double* features = task_.rows.row(from + r);
      for (Index k = 0; k < d_; ++k) at(u, k) = (features[k] - at(origin_, k)) * unit_;
      shared_.monomials.evaluate(u.data(), row.data());
      const double* y = task_.targets.row(from + r);
      for (Index t = 0; t < targets_; ++t)
        for (Index i = 0; i < terms; ++i) at(row, monomials + t * terms + i) = y[t] * at(row, i);
      for (Index panel = 0; panel < panels_; ++panel)
        std::copy_n(row.data() + panel * lanes<double>, lanes<double>,
                    values_.data() + (panel * rows + r) * lanes<double>);
    }
  }

  void add_product(const double* weights, Index rows, Index panels, double* sums) {
    const Index width = panels * lanes<double>;
    ops<double>().products({.A = weights,
                            .A_norms = nullptr,
                            .na = count_,
                            .stride = block,
                            .B = values_.data(),
                            .B_norms = nullptr,
                            .panels = panels,
                            .d = rows},
                           product_.data(), width);
    ops<double>().add_scaled(sums, product_.data(), 1.0, count_ * width);
  }

  void assemble(Index q, LocalSystem& system) const {
    const Index terms = shared_.terms, width = panels_ * lanes<double>;
    const double* own = sums_.data() + q * width;
    const double* squares = squares_.empty() ? nullptr : squares_.data() + q * moment_panels_ * lanes<double>;
    for (Index i = 0, entry = 0; i < terms; ++i)
      for (Index j = 0; j <= i; ++j, ++entry) {
        const Index product = at(shared_.products, entry);
        at(system.gram, i * terms + j) = own[product];
        if (squares) at(system.squares, i * terms + j) = squares[product];
      }
    std::copy_n(own + shared_.monomials.count(), targets_ * terms, system.sums.begin());
    std::vector<double> u(size(d_)), all(size(shared_.monomials.count()));
    for (Index k = 0; k < d_; ++k) at(u, k) = (task_.queries.row(first_ + q)[k] - at(origin_, k)) * unit_;
    shared_.monomials.evaluate(u.data(), all.data());
    std::copy_n(all.begin(), terms, system.at.begin());
  }

  const Shared& shared_;
  const CloudTask& task_;
  Index first_, count_, d_, targets_, panels_, moment_panels_;
  std::vector<double> origin_;
  double unit_ = 1;
  Buffer<double> weights_, squared_weights_, values_, product_;
  std::vector<double> sums_, squares_;
};

std::span<const std::int64_t> rows_of_query(const CloudTask& task, Index q) {
  const Index first = at(task.begins, q);
  return task.list.subspan(size(first), size(at(task.begins, q + 1) - first));
}

}  // namespace

LocalFits fit_cloud(const CloudTask& task, const LocalModel& model, const Workers& workers) {
  const Index queries = task.queries.rows, targets = task.targets.cols;
  LocalFits found(queries, targets, model.squares);
  if (task.begins.empty()) {
    const Shared shared(task, model);
    parallel_for((queries + queries_at_once - 1) / queries_at_once, workers.threads,
                 [&](Index chunk) {
                   const Index first = chunk * queries_at_once;
                   Together(shared, first, std::min(queries_at_once, queries - first)).fit(found);
                 },
                 workers.stop);
    return found;
  }
  parallel_for((queries + listed_at_once - 1) / listed_at_once, workers.threads,
               [&](Index chunk) {
                 ListedFit listed(task, model);
                 for (Index q = chunk * listed_at_once; q < std::min(queries, (chunk + 1) * listed_at_once); ++q) {
                   LocalFit one = place_for(q, targets, found);
                   listed.fit(q, rows_of_query(task, q), one);
                   keep(one, q, found);
                   poll_inside();
                 }
               },
               workers.stop);
  return found;
}

std::vector<double> equivalent_kernels(const CloudTask& task, const LocalModel& model, const Workers& workers) {
  const Index queries = task.queries.rows, n = task.rows.rows;
  std::vector<double> kernels(size(queries * n), 0.0);
  const std::vector<std::int64_t> everything = counted(0, n);
  parallel_for(
      queries, workers.threads,
      [&](Index q) {
        std::vector<double> values(size(task.targets.cols));
        LocalFit one{values};
        ListedFit(task, model).fit(q, everything, one, kernels.data() + q * n);
      },
      workers.stop);
  return kernels;
}

}  // namespace mercer
