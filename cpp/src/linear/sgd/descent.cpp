// Stochastic gradient descent.
//
// Solves       the problem of sgd.hpp, roughly
// Given        rows with targets, a loss, penalties, the length of steps, how many passes
// Returns      the weights, their average, how many steps were made and why it ended
// Stops when   the passes are done, or no longer help, or the weights are no longer finite
// See          Bottou (2012), Stochastic gradient descent tricks; Xu (2011), Towards optimal one pass large scale
//              learning with averaged stochastic gradient descent; Langford, Li, Zhang (2009), Sparse online learning
//              via truncated gradient
//
// A step takes the mean gradient of a batch. Shrinking and averaging are lazy, and the penalty l1 is collected over
// some steps, so that a pass costs the entries of the data and not their columns.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "lazy_weights.hpp"
#include "learning_rate.hpp"
#include "losses.hpp"
#include "mercer/orders.hpp"
#include "mercer/pool.hpp"
#include "mercer/sgd.hpp"

namespace mercer {
namespace {

// A task is worked on for so long at a time, and deadlines and signals are heard in between. The clock is read once in
// so many steps.
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds turn{2};
constexpr Index steps_per_look = 64;
// Memory takes as long to answer as some steps of one row take; larger batches ask for the next.
constexpr Index rows_ahead = 8;
// The weights are truncated once in so many steps that a step's share of it is this many weights.
constexpr Index truncated_per_step = 64;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// One task, worked on step by step.
class Descent {
 public:
  Descent(const SgdTask& task, const SgdOptions& options)
      : task_(task),
        options_(options),
        X_(*task.training.X),
        rate_(options),
        weights_(task.functions, X_.features(), task.start.w, task.start.average, averaged(task.start.updates)),
        before_(weights_),
        updates_(task.start.updates),
        orders_(X_.size(), task.seed, options.shuffle),
        chosen_(at(options.batch_size)),
        coef_(at(options.batch_size)),
        values_(at(options.batch_size * task.functions)),
        truncation_interval_(std::max<Index>(1, task.functions * X_.features() / truncated_per_step)) {
    begin_pass();
  }

  bool is_over() const { return over_; }
  Index updates() const { return updates_; }

  // Makes steps until its turn is over.
  void advance() {
    const Clock::time_point end_of_turn = Clock::now() + turn;
    do {
      for (Index k = 0; k < steps_per_look && !over_; ++k) {
        prefetch_ahead();
        const RowList batch = rows_from(done_);
        step(batch);
        done_ += static_cast<Index>(batch.size());
        if (done_ == X_.size()) end_pass();
      }
    } while (!over_ && Clock::now() < end_of_turn);
  }

  SgdResult result(SgdEnd stopped) {
    if (!over_) end_ = stopped;
    truncate();
    restore_where_diverged();
    return {{weights_.current(), weights_.average(), updates_}, passes_, pulls_, end_};
  }

 private:
  // Of so many updates.
  Index averaged(Index updates) const {
    return options_.average > 0 ? std::max<Index>(0, updates + 1 - options_.average) : 0;
  }

  double target(const SgdRows& rows, std::int32_t i) const {
    const double y = rows.y[static_cast<std::size_t>(i)];
    return task_.positive < 0 ? y : y == static_cast<double>(task_.positive) ? 1 : -1;
  }
  double weight(const SgdRows& rows, std::int32_t i, double y) const {
    const double own = rows.weight.empty() ? 1 : rows.weight[static_cast<std::size_t>(i)];
    return task_.positive < 0 ? own : own * (y > 0 ? task_.weight_of_positive : task_.weight_of_rest);
  }

  // The batch that begins at some place of the order, or what the pass has left of it.
  RowList rows_from(Index first) const {
    const Index begin = std::min(first, X_.size());
    return {order_.data() + begin, at(std::min(options_.batch_size, X_.size() - begin))};
  }

  void prefetch_ahead() const {
    const RowList soon = rows_from(done_ + std::max(rows_ahead, options_.batch_size));
    X_.prefetch(soon);
    for (const std::int32_t i : soon) __builtin_prefetch(&task_.training.y[static_cast<std::size_t>(i)]);
  }

  void begin_pass() {
    order_ = orders_.next();
    done_ = 0;
    loss_ = 0;
    before_ = weights_;
    pulls_before_ = pulls_;
    updates_before_ = updates_;
  }

  void step(RowList batch) {
    const double eta = rate_.at_step(updates_ + 1);
    const Index size = static_cast<Index>(batch.size());
    for (Index k = 0; k < task_.functions; ++k) weights_.values(X_, batch, k, values_.data() + k * size);
    take_slopes(batch);
    weights_.shrink(std::max(0.0, 1 - eta * options_.l2));
    for (Index k = 0; k < task_.functions; ++k) move(batch, k, -eta / static_cast<double>(size));
    if (options_.fit_intercept && options_.offset_price > 0) weights_.add_offset(0, -eta * options_.offset_price);
    ++updates_;
    if (options_.l1 > 0) {
      pending_ += eta * options_.l1;
      if (updates_ % truncation_interval_ == 0) truncate();
    }
    if (averaged(updates_) > 0) weights_.remember();
  }

  // Sums the losses of the batch, and puts their weighted derivatives where the values were.
  void take_slopes(RowList batch) {
    const Index size = static_cast<Index>(batch.size());
    for (Index i = 0; i < size; ++i) {
      const double y = target(task_.training, batch[at(i)]), weight = this->weight(task_.training, batch[at(i)], y);
      double* f = values_.data() + i;
      if (options_.loss == SgdLoss::softmax) {
        loss_ += weight * softmax_loss_and_slopes(static_cast<Index>(y), f, task_.functions, size);
        for (Index k = 0; k < task_.functions; ++k) f[k * size] *= weight;
      } else {
        const LossAndSlope one = loss_and_slope(options_.loss, options_.epsilon, y, *f);
        loss_ += weight * one.loss;
        *f = weight * one.slope;
      }
    }
  }

  // Moves one function by `length` times its slopes; most rows of a margin loss have none.
  void move(RowList batch, Index function, double length) {
    const double* slope = values_.data() + function * static_cast<Index>(batch.size());
    std::size_t count = 0;
    double total = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (slope[i] == 0) continue;
      chosen_[count] = batch[i];
      total += coef_[count++] = length * slope[i];
    }
    if (count == 0) return;
    pulls_ += static_cast<Index>(count);
    weights_.add(X_, {chosen_.data(), count}, coef_.data(), function);
    if (options_.fit_intercept) weights_.add_offset(function, total);
  }

  void truncate() {
    if (pending_ > 0) weights_.truncate(pending_);
    pending_ = 0;
  }

  void end_pass() {
    truncate();
    ++passes_;
    if (restore_where_diverged()) return;
    if (options_.until_right && pulls_ == pulls_before_) return end(SgdEnd::right);
    idle_passes_ = improves() ? 0 : idle_passes_ + 1;
    if (idle_passes_ >= options_.patience) {
      if (rate_.fall())
        idle_passes_ = 0;
      else
        end(SgdEnd::steady);
    }
    if (!over_ && passes_ == options_.max_passes) end(SgdEnd::passes_done);
    if (!over_) begin_pass();
  }

  void end(SgdEnd why) {
    over_ = true;
    end_ = why;
  }

  bool restore_where_diverged() {
    if (weights_.is_finite() && std::isfinite(loss_)) return false;
    weights_ = before_;
    updates_ = updates_before_;
    loss_ = 0;
    end(SgdEnd::diverged);
    return true;
  }

  // Whether the pass is better than the best one by the tolerance.
  bool improves() {
    const double merit = task_.held_out.X ? score() : -objective();
    const bool better = merit >= best_ + options_.tol;
    best_ = std::max(best_, merit);
    return better;
  }

  // Of the weights as they were when each row was seen, but for the penalties.
  double objective() const {
    return loss_ / static_cast<double>(X_.size()) + 0.5 * options_.l2 * weights_.squared_norm() +
           options_.l1 * weights_.absolute_sum() + options_.offset_price * weights_.offset(0);
  }

  // The share of the rows held out that are right, or for targets the coefficient of determination.
  double score() const {
    const SgdRows& rows = task_.held_out;
    const Index n = rows.X->size(), functions = task_.functions;
    const LazyWeights machine(functions, X_.features(),
                              averaged(updates_) > 0 ? weights_.average() : weights_.current(),
                              std::vector<double>(weights_.current().size()), 0);
    std::vector<std::int32_t> list(at(n));
    std::iota(list.begin(), list.end(), 0);
    std::vector<double> f(at(n * functions));
    for (Index k = 0; k < functions; ++k) machine.values(*rows.X, list, k, f.data() + k * n);
    double total = 0, sum = 0, right = 0, errors = 0;
    for (Index i = 0; i < n; ++i) {
      const double y = target(rows, list[at(i)]), w = weight(rows, list[at(i)], y);
      Index best = 0;
      for (Index k = 1; k < functions; ++k)
        if (f[at(k * n + i)] > f[at(best * n + i)]) best = k;
      const bool hit = functions > 1 ? static_cast<double>(best) == y : (f[at(i)] > 0) == (y > 0);
      total += w;
      sum += w * y;
      right += w * hit;
      errors += w * (y - f[at(i)]) * (y - f[at(i)]);
    }
    if (task_.positive >= 0 || functions > 1) return right / total;
    double spread = 0;
    for (Index i = 0; i < n; ++i) {
      const double y = target(rows, list[at(i)]), from_mean = y - sum / total;
      spread += weight(rows, list[at(i)], y) * from_mean * from_mean;
    }
    return spread > 0 ? 1 - errors / spread : errors == 0;
  }

  const SgdTask& task_;
  const SgdOptions& options_;
  const LinearRows& X_;
  LearningRate rate_;
  LazyWeights weights_, before_;
  Index updates_, updates_before_ = 0;
  Orders orders_;
  std::span<const std::int32_t> order_;
  std::vector<std::int32_t> chosen_;
  std::vector<double> coef_, values_;
  Index truncation_interval_;
  double pending_ = 0;  // of the penalty l1
  Index done_ = 0, passes_ = 0, idle_passes_ = 0, pulls_ = 0, pulls_before_ = 0;
  double loss_ = 0, best_ = -std::numeric_limits<double>::infinity();
  bool over_ = false;
  SgdEnd end_ = SgdEnd::passes_done;
};

}  // namespace

std::vector<SgdResult> descend(const std::vector<SgdTask>& tasks, const SgdOptions& options, int threads, Stop& stop) {
  std::vector<Descent> descents;
  descents.reserve(tasks.size());
  for (const SgdTask& task : tasks) descents.emplace_back(task, options);
  std::vector<Descent*> at_work;
  for (Descent& descent : descents) at_work.push_back(&descent);
  SgdEnd end = SgdEnd::passes_done;
  try {
    while (!at_work.empty()) {
      parallel_for(static_cast<Index>(at_work.size()), threads, [&](Index k) { at_work[at(k)]->advance(); }, &stop);
      std::erase_if(at_work, [](const Descent* descent) { return descent->is_over(); });
      stop.progress.steps = 0;
      for (const Descent& descent : descents) stop.progress.steps += descent.updates();
    }
  } catch (const Stopped& stopped) {
    end = stopped.status == Status::time_limit ? SgdEnd::time_limit : SgdEnd::interrupted;
  }
  std::vector<SgdResult> results;
  for (Descent& descent : descents) results.push_back(descent.result(end));
  return results;
}

}  // namespace mercer
