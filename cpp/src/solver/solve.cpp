// Solves      the box QP of box_qp.hpp
// Given       a Gram matrix that serves blocks, products and exact products
// Returns     the dual variables and their violation
// Stops when  the violation, with the rows that decide it recomputed in float64 where rounding could matter, is within
//             tol (and the relative gap within gap_tol), or as the status says
// See         docs/concepts/solver.md; Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin
//             (2005), Working set selection using second order information
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "active_block.hpp"
#include "mercer/solver.hpp"
#include "newton_steps.hpp"
#include "pair_steps.hpp"
#include "patience.hpp"
#include "sums.hpp"
#include "working_set.hpp"

namespace mercer {
namespace {

// Samples are solved to this violation only: they are where the next one starts. And only until the rows that violate
// more are this few beside the active ones.
constexpr double sample_tol = 0.3;
constexpr double stragglers = 0.02;
// Values that lie less apart than this share of the unit tell nothing.
constexpr double flat = 0.5;
// Rows at a bound that are this near to violating are active.
constexpr double active_margin = 0.1;
// A block of active rows grows while at least this share of them stays active; else it is made anew.
constexpr double least_staying = 0.7;
// Rows that may become active in one round: half as many as are, and no fewer than the last.
constexpr Index active_growth = 2;
constexpr Index least_newcomers = 4096;
// A block is solved to this share of the violation it came with, and so are the active rows of a sample: less would
// repeat the work of the next. Before the active rows of the whole are solved, all others must be evaluated, which is
// dear: so they are solved to the second share.
constexpr double inner_share = 0.1;
constexpr double whole_share = 0.03;
// What a working set changes must be brought to all active rows, which is dear as well.
constexpr double set_share = 0.03;
// Active rows are solved somewhat better than the target, so that the others have room.
constexpr double active_share = 0.7;
// How far a row's value can have moved, relative to the way of the machine in feature space, for it to be evaluated.
// One would be safe; values move far less, and whoever does not verify checks all rows afterwards. Not so where
// coefficients have a sum other than zero: then values move together.
constexpr double optimism = 0.15;
// Ordinary problems settle a block within a tenth of this.
constexpr Index steps_before_newton = 10'000;
constexpr Index steps_before_newton_a_row = 50;
// Where float kernel values may be too inexact, more are not spent on a block: float64 takes over.
constexpr Index steps_in_doubt = 2000;
constexpr Index steps_in_doubt_a_row = 5;
// What to expect of the rounding of values from float kernel values, in units of that of the root of the sum of the
// squared coefficients.
constexpr double units_of_rounding = 8;
// Leaves room for the rounding of values that nobody verifies here, and of the certificate.
constexpr double unverified_share = 0.95;
// Rounding that is expected to take no more than this of the tolerance is not looked at: the certificate decides.
constexpr double negligible_share = 0.02;
// Rows whose running and exact values are compared at the end, and how near to violating the rows are that take the
// exact ones where the two differ.
constexpr Index probed_rows = 64;
constexpr double refined_margin = 0.01;
// Rows that rested longer than this many rounds have their values computed anew; others catch up with what changed.
constexpr std::size_t remembered_rounds = 8;
// What taking a working set costs beside its steps, in steps, where rows are few.
constexpr Index steps_a_set = 100;
// How often the float64 violation may fail to halve before the solver gives up.
constexpr int verifications_without_progress = 3;

// Adds the time of its scope.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

template <class T>
class Solver {
 public:
  Solver(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop)
      : gram_(gram), options_(options), stop_(stop), order_(qp.slope.size()), block_(gram) {
    std::iota(order_.begin(), order_.end(), Index(0));
    if (gram.size() > options.first_sample) std::shuffle(order_.begin(), order_.end(), std::minstd_rand(1));
    State given = start_state(qp);
    gram.diagonal(given.diagonal.data());
    for (const double value : given.diagonal)
      if (!std::isnan(value)) largest_ = std::max(largest_, value);
    all_ = restricted(given, order_);
    wanted_ = sums(all_, all_.size());
    cold_ = qp.cold || std::ranges::all_of(all_.coef, [](double c) { return c == 0; });
    if (cold_) {
      start_ = all_.coef;
      std::ranges::fill(all_.coef, 0.0);
    }
    seen_.assign(order_.size(), {0, 0});
    is_active_.assign(order_.size(), false);
  }

  Solution run() {
    try {
      descend_through_samples();
      finish();
    } catch (const Stopped& stopped) {
      save();
      complete();
      solution_.status = stopped.status;
    }
    solution_.steps = stop_.progress.steps;
    solution_.coef = in_given_order();
    return std::move(solution_);
  }

 private:
  std::vector<double> in_given_order() const {
    std::vector<double> coef(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) coef[State::at(order_[i])] = all_.coef[i];
    return coef;
  }

  // ---------------------------------------------------------------- levels

  // Solves samples, each the beginning of the next, as long as they are smaller than the whole.
  void descend_through_samples() {
    Index levels = 0;
    while (cold_ && (all_.size() >> (levels + 1)) >= std::max<Index>(1, options_.first_sample)) ++levels;
    for (; levels > 0; --levels) {
      admit(all_.size() >> levels);
      improve(std::max(sample_tol * unit_, options_.tol));
    }
    admit(all_.size());
  }

  // Makes the first `rows` rows known: their values are computed, and they may become active.
  void admit(Index rows) {
    std::vector<Index> arrivals;
    for (Index i = known_; i < rows; ++i) arrivals.push_back(i);
    const Timed timed(solution_.seconds.resting);
    evaluate(arrivals);
    known_ = rows;
    if (rows < all_.size() ? meet_sums(all_, rows, wanted_, values_tell()) : complete()) {
      std::vector<Index> everyone(State::at(rows));
      std::iota(everyone.begin(), everyone.end(), Index(0));
      evaluate(everyone);
      if (!history_.empty()) history_.back() = all_.coef;
    }
    if (unit_ == 0) unit_ = spread_of_values();
  }

  // Gives all rows what is missing to the sums; where samples did not lead there, the start does. True where a
  // coefficient changed.
  bool complete() {
    if (!cold_ || !has_weight()) return false;
    const bool changed = meet_sums(all_, all_.size(), wanted_, values_tell());
    if (has_sums(all_, wanted_)) return changed;
    all_.coef = start_;
    return true;
  }

  // Where the machine is next to zero, as that of a linear kernel around the origin, all rows have about the same
  // value, and the weight of those that gain most by rounding would throw it far off.
  bool values_tell() const { return unit_ == 0 || spread_of_values() > flat * unit_; }

  bool has_weight() const { return wanted_[0] != 0 || wanted_[1] != 0; }

  // The standard deviation of the known values, or one where they are all the same.
  double spread_of_values() const {
    double total = 0, squares = 0;
    for (Index i = 0; i < known_; ++i) total += all_.values[State::at(i)];
    const double mean = total / static_cast<double>(std::max<Index>(1, known_));
    for (Index i = 0; i < known_; ++i) squares += std::pow(all_.values[State::at(i)] - mean, 2);
    return squares > 0 ? std::sqrt(squares / static_cast<double>(known_)) : 1;
  }

  void finish() {
    double target = unverified_share * options_.tol;
    look_at_rounding(target);
    for (int fruitless = 0;;) {
      const double before = solution_.violation;
      improve(target);
      verify();
      if (satisfied()) return;
      fruitless = solution_.violation < 0.5 * before ? 0 : fruitless + 1;
      if (fruitless == verifications_without_progress) throw Stopped(Status::stalled);
      target = 0.5 * std::min(target, solution_.violation);
    }
  }

  // Where the rounding of float kernel values may be above the target, goes there first and measures it. A kernel
  // matrix that is wrong by more than the tolerance may have directions in which steps gain for ever: then few must do.
  void look_at_rounding(double target) {
    if (sizeof(T) == 8 || options_.gap_tol > 0) return;
    const double rounding = expected_rounding();
    if (rounding <= target) return;
    improve(rounding);
    is_doubtful_ = evaluate_exactly(some_of(deciding_rows())) > 0.5 * options_.tol;
  }

  double expected_rounding() const {
    double squares = 0;
    for (const double c : all_.coef) squares += c * c;
    return units_of_rounding * std::numeric_limits<T>::epsilon() * std::sqrt(squares) * largest_;
  }

  // Compares running with exact values on some of the rows that decide the violation, unless next to no rounding is
  // expected. Where they differ too much, all of those take the exact ones.
  void verify() {
    const Timed timed(solution_.seconds.exact);
    if (options_.gap_tol > 0 || options_.verify) {
      std::vector<Index> everything(all_.coef.size());
      std::iota(everything.begin(), everything.end(), Index(0));
      evaluate_exactly(everything);
    } else if (extremes(all_).violation() > options_.tol || expected_rounding() > negligible_share * options_.tol) {
      const std::vector<Index> deciding = deciding_rows();
      const double error = evaluate_exactly(some_of(deciding));
      if (extremes(all_).violation() + 2 * error > options_.tol) evaluate_exactly(deciding);
    }
    solution_.violation = extremes(all_).violation();
  }

  // Rows that violate or nearly do.
  std::vector<Index> deciding_rows() const {
    return choose_active(all_, known_, std::vector<bool>(all_.coef.size(), true),
                         {pivots_, refined_margin * unit_, all_.size()});
  }

  static std::vector<Index> some_of(const std::vector<Index>& rows) {
    const auto count = static_cast<Index>(rows.size());
    std::vector<Index> some;
    for (Index k = 0; k < std::min(probed_rows, count); ++k)
      some.push_back(rows[State::at(k * count / std::min(probed_rows, count))]);
    return some;
  }

  bool satisfied() const {
    if (solution_.violation > options_.tol) return false;
    if (options_.gap_tol <= 0) return true;
    const Objective value = objective(all_);
    const double size = std::max(std::abs(value.dual), std::abs(value.dual + value.gap));
    return value.gap <= unverified_share * options_.gap_tol * size;
  }

  // ---------------------------------------------------------------- rounds

  // Solves active sets until the violation of the known rows is at most `target`; of a sample, until few rows violate
  // it.
  void improve(double target) {
    Patience patience(known_, stop_.progress.steps);
    for (;;) {
      const double violation = extremes(all_, known_).violation();
      if (violation <= target) return;
      if (known_ < all_.size() &&
          static_cast<double>(violators(target)) < stragglers * static_cast<double>(active_.size()))
        return;
      patience.watch(violation, stop_.progress.steps);
      activate();
      const Index before = stop_.progress.steps;
      const bool alone = static_cast<Index>(active_.size()) == known_;
      const double share = known_ < all_.size() ? inner_share : whole_share;
      descend(std::max(share * violation, (alone ? 1.0 : active_share) * target));
      settle();
      if (options_.record) solution_.rounds.push_back({stop_.progress.steps, state_.size(), in_given_order()});
      refresh(options_.verify || has_weight() ? 1.0 : optimism);
      if (stop_.progress.steps == before) return;  // no step changes anything: the float64 values decide
    }
  }

  // Known rows that violate the optimality conditions at the pivot by more than `tol`.
  Index violators(double tol) const {
    Index count = 0;
    for (Index i = 0; i < known_; ++i)
      count += (all_.up(i) && all_.up_value(i) > pivots_[all_.up_sum(i)] + tol) ||
               (all_.low(i) && all_.low_value(i) < pivots_[all_.low_sum(i)] - tol);
    return count;
  }

  void activate() {
    const auto before = static_cast<Index>(active_.size());
    if (known_ < 2 * options_.first_sample) {
      for (Index i = before; i < known_; ++i) active_.push_back(i);
    } else {
      const Index most_new = std::max(before / active_growth, least_newcomers);
      choose(choose_active(all_, known_, is_active_, {pivots_, active_margin * unit_, most_new}));
    }
    is_active_.assign(is_active_.size(), false);
    for (const Index i : active_) is_active_[State::at(i)] = true;
    state_ = restricted(all_, active_);
    stop_.progress.active_rows = state_.size();
    // Rows that were left alone join with values of the machine as it is.
    std::vector<Index> behind;
    for (const Index i : active_)
      if (seen_[State::at(i)].round != round_) behind.push_back(i);
    evaluate(behind);
    state_.values = gathered(all_.values, active_);
  }

  // Takes rows for the active ones. Where their block is at hand and few of them leave, these stay instead, and the
  // block grows by the others.
  void choose(std::vector<Index> rows) {
    std::vector<Index> arrivals;
    for (const Index i : rows)
      if (!is_active_[State::at(i)]) arrivals.push_back(i);
    const auto staying = static_cast<double>(rows.size() - arrivals.size());
    const bool grows = block_.holds_values() && staying >= least_staying * static_cast<double>(active_.size()) &&
                       static_cast<Index>(active_.size() + arrivals.size()) <= options_.whole_block;
    if (grows) {
      active_.insert(active_.end(), arrivals.begin(), arrivals.end());
    } else {
      active_ = std::move(rows);
      block_.forget();
    }
  }

  // Takes the coefficients and values of the active rows over, and adds the way the machine went in feature space.
  void settle() {
    double squared_way = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t i = State::at(active_[k]);
      squared_way += (state_.coef[k] - all_.coef[i]) * (all_.values[i] - state_.values[k]);
    }
    save();
    way_ += std::sqrt(std::max(0.0, squared_way));
    ++round_;
    history_.push_back(all_.coef);
    if (history_.size() > remembered_rounds) history_.erase(history_.begin());
    scatter(state_.values, active_);
    pivots_ = middle(state_);
  }

  // Brings the values of resting rows up to date, but for those that cannot violate: a row's value moves by no more
  // than the machine in feature space, and usually by far less, so `caution` below one is a bet.
  void refresh(double caution) {
    const Timed timed(solution_.seconds.resting);
    const Extremes found = extremes(state_);
    std::vector<std::vector<Index>> waiting(history_.size());  // by the rounds they are behind
    std::vector<Index> lost;
    for (Index i = 0; i < known_; ++i) {
      const std::size_t at = State::at(i);
      if (is_active_[at]) continue;
      const double reach = reach_of(at, caution);
      const std::size_t up = all_.up_sum(i), low = all_.low_sum(i);
      const bool may_violate = (all_.up(i) && all_.up_value(i) + reach > std::min(found.bottom[up], pivots_[up])) ||
                               (all_.low(i) && all_.low_value(i) - reach < std::max(found.top[low], pivots_[low]));
      if (!may_violate && options_.screening) continue;
      const auto behind = static_cast<std::size_t>(round_ - seen_[at].round);
      (behind < history_.size() ? waiting[behind] : lost).push_back(i);
    }
    const auto support = static_cast<Index>(machine().support.size());
    for (std::size_t behind = 1; behind < waiting.size(); ++behind) {
      const std::vector<Index>& rows = waiting[behind];
      if (rows.empty()) continue;
      const Machine change = change_since(history_[history_.size() - 1 - behind]);
      if (static_cast<Index>(change.support.size()) >= support) {
        lost.insert(lost.end(), rows.begin(), rows.end());
        continue;
      }
      std::vector<double> values = gathered(all_.values, rows);
      gram_.add_products(in_gram(rows), change.support, change.coef, values.data(), stop_);
      scatter(values, rows);
    }
    evaluate(lost);
  }

  // How far the value of a row may have moved since it was computed.
  double reach_of(std::size_t at, double caution) const {
    const double way = way_ - seen_[at].way;
    if (std::isnan(all_.diagonal[at])) return way > 0 ? std::numeric_limits<double>::infinity() : 0;
    return caution * std::sqrt(std::max(0.0, all_.diagonal[at])) * way;
  }

  // Computes values anew.
  void evaluate(const std::vector<Index>& rows) {
    if (rows.empty()) return;
    const auto [support, coef] = machine();
    std::vector<double> values = gathered(all_.slope, rows);
    gram_.add_products(in_gram(rows), support, coef, values.data(), stop_);
    scatter(values, rows);
  }

  // The same in float64; returns the largest difference from what was there.
  double evaluate_exactly(const std::vector<Index>& rows) {
    const auto [support, coef] = machine();
    std::vector<double> values = gathered(all_.slope, rows);
    gram_.add_exact_products(in_gram(rows), support, coef, values.data(), stop_);
    double error = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
      error = std::max(error, std::abs(values[k] - all_.values[State::at(rows[k])]));
    scatter(values, rows);
    return error;
  }

  // ---------------------------------------------------------------- the active rows

  // Takes working sets until the violation of the active rows is at most `target`.
  void descend(double target) {
    std::vector<Index> set;
    Patience patience(known_, stop_.progress.steps);
    for (;;) {
      const double violation = extremes(state_).violation();
      stop_.progress.violation = violation;
      if (violation <= target) return;
      patience.watch(violation, stop_.progress.steps);
      if (work_ > options_.most_steps) throw Stopped(Status::stalled);
      check_margin();
      const Index steps =
          state_.size() <= options_.whole_block ? solve_whole(target) : solve_working_set(set, violation, target);
      work_ += steps + steps_a_set;
      stop_.count_steps(steps);
      stop_.poll();
      if (steps == 0) return;
    }
  }

  Index solve_whole(double target) { return descend_in_block(state_, block_of_active_rows(), target); }

  Block<T> block_of_active_rows() {
    const Timed timed(solution_.seconds.blocks);
    const Index most = std::min(all_.size(), std::max(state_.size(), options_.whole_block));
    const Block<T> block = block_.grown(in_gram(active_), most, stop_);
    for (Index i = 0; i < state_.size(); ++i) learn_diagonal(i, block.row(i)[i]);
    return block;
  }

  // Where a row has to be asked for to know k(x, x), its block tells.
  void learn_diagonal(Index active, T value) {
    double& known = state_.diagonal[State::at(active)];
    if (!std::isnan(known)) return;
    known = all_.diagonal[State::at(active_[State::at(active)])] = static_cast<double>(value);
    largest_ = std::max(largest_, known);
  }

  Index solve_working_set(std::vector<Index>& set, double violation, double target) {
    set = choose_working_set(state_, set, working_set_size());
    const Block<T> block = block_of(set);
    State part = restricted(state_, set);
    const double tol = std::max(set_share * violation, active_share * target);
    const Index steps = descend_in_block(part, block, tol);

    std::vector<Index> changed;
    std::vector<double> change;
    for (std::size_t k = 0; k < set.size(); ++k) {
      double& coef = state_.coef[State::at(set[k])];
      if (part.coef[k] == coef) continue;
      changed.push_back(active_[State::at(set[k])]);
      change.push_back(coef - part.coef[k]);  // values fall as coefficients grow
      coef = part.coef[k];
    }
    const Timed timed(solution_.seconds.products);
    gram_.add_products(in_gram(active_), in_gram(changed), change, state_.values.data(), stop_);
    return steps;
  }

  Block<T> block_of(const std::vector<Index>& set) {
    const Timed timed(solution_.seconds.blocks);
    const Block<T> block = block_.of(in_gram(gathered(active_, set)), stop_);
    for (Index k = 0; k < static_cast<Index>(set.size()); ++k) learn_diagonal(set[State::at(k)], block.row(k)[k]);
    return block;
  }

  // Room for the free rows: a set without it trades free rows for free rows.
  Index working_set_size() const {
    Index free = 0;
    for (Index i = 0; i < state_.size(); ++i) free += state_.free(i);
    return std::min(std::max(free, options_.working_set), options_.largest_working_set);
  }

  // Pairs find out who is free and who is not; where they take long to settle the free ones, Newton steps do.
  Index descend_in_block(State& state, const Block<T>& block, double tol) {
    const Timed timed(solution_.seconds.steps);
    const Index patience = is_doubtful_ ? steps_in_doubt + steps_in_doubt_a_row * state.size()
                                        : steps_before_newton + steps_before_newton_a_row * state.size();
    const Index allowed = std::min(stop_.steps_left(), patience);
    const Index steps = descend_by_pairs(state, PairSteps<T>{block, tol, allowed}, stop_);
    if (is_doubtful_ && steps == patience) throw Stopped(Status::stalled);
    if (steps == allowed && steps < stop_.steps_left()) descend_by_newton(state, block, 0.1 * tol, stop_);
    return steps;
  }

  // A feasible direction bounds the margin of any separating hyperplane by |w| / sum of alpha.
  void check_margin() const {
    if (options_.least_margin <= 0) return;
    double total = 0;
    for (const double coef : state_.coef) total += std::abs(coef);
    const double squared_norm = std::max(0.0, objective(state_).squared_norm);
    if (total > 0 && squared_norm <= options_.least_margin * options_.least_margin * largest_ * total * total)
      throw Stopped(Status::unbounded);
  }

  // ---------------------------------------------------------------- bookkeeping

  void save() {
    for (std::size_t k = 0; k < active_.size(); ++k) all_.coef[State::at(active_[k])] = state_.coef[k];
  }

  struct Machine {
    std::vector<Index> support;  // in the Gram matrix
    std::vector<double> coef;    // negated: values fall as coefficients grow
  };
  Machine machine() const {
    Machine found;
    for (std::size_t i = 0; i < all_.coef.size(); ++i)
      if (all_.coef[i] != 0) {
        found.support.push_back(order_[i]);
        found.coef.push_back(-all_.coef[i]);
      }
    return found;
  }

  Machine change_since(const std::vector<double>& coef) const {
    Machine found;
    for (std::size_t i = 0; i < coef.size(); ++i)
      if (all_.coef[i] != coef[i]) {
        found.support.push_back(order_[i]);
        found.coef.push_back(coef[i] - all_.coef[i]);
      }
    return found;
  }

  std::vector<Index> in_gram(const std::vector<Index>& rows) const { return gathered(order_, rows); }

  // Takes values of the machine as it is now.
  void scatter(const std::vector<double>& values, const std::vector<Index>& rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      all_.values[State::at(rows[k])] = values[k];
      seen_[State::at(rows[k])] = {round_, way_};
    }
  }

  template <class V>
  static std::vector<V> gathered(const std::vector<V>& values, const std::vector<Index>& rows) {
    std::vector<V> found;
    found.reserve(rows.size());
    for (const Index i : rows) found.push_back(values[State::at(i)]);
    return found;
  }

  static State restricted(const State& state, const std::vector<Index>& rows) {
    State part;
    part.two_sums = state.two_sums;
    for (auto field :
         {&State::coef, &State::lo, &State::hi, &State::slope, &State::kink, &State::values, &State::diagonal})
      part.*field = gathered(state.*field, rows);
    return part;
  }

  Gram<T>& gram_;
  const SolverOptions& options_;
  Stop& stop_;
  std::vector<Index> order_;  // row of the Gram matrix for each row here
  State all_;
  Sums wanted_;                                                // the sums that coefficients must have
  double largest_ = -std::numeric_limits<double>::infinity();  // k(x, x) that is known
  bool cold_;
  bool is_doubtful_ = false;   // whether kernel values are exact enough
  std::vector<double> start_;  // of a cold start: where samples do not lead to these sums
  double unit_ = options_.unit;
  Index known_ = 0;  // rows of all_ that have values
  Index work_ = 0;   // in steps

  std::vector<Index> active_;  // rows of all_
  std::vector<bool> is_active_;
  State state_;  // the active rows
  ActiveBlock<T> block_;
  Sums pivots_{0, 0};  // where the values of free rows lie

  struct Seen {
    Index round;
    double way;
  };
  Index round_ = 0;
  double way_ = 0;                            // the machine has gone in feature space
  std::vector<Seen> seen_;                    // when the row's value was last computed
  std::vector<std::vector<double>> history_;  // coefficients after each of the last rounds
  Solution solution_;
};

}  // namespace

template <class T>
Solution solve(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop) {
  return Solver<T>(qp, gram, options, stop).run();
}

template Solution solve(const BoxQp&, Gram<float>&, const SolverOptions&, Stop&);
template Solution solve(const BoxQp&, Gram<double>&, const SolverOptions&, Stop&);

}  // namespace mercer
