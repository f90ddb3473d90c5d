// Solves      the box QP of box_qp.hpp
// Given       a Gram matrix that serves blocks, products and exact products
// Returns     the dual variables and their violation
// Stops when  the violation, with the rows that decide it recomputed in float64 where rounding could matter, is within
//             tol (and the relative gap within gap_tol), or as the status says
// See         docs/concepts/solver.md; Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin
//             (2005), Working set selection using second order information
#include <limits>

#include "active_set.hpp"
#include "mercer/solver.hpp"
#include "permuted_gram.hpp"
#include "resting_rows.hpp"
#include "samples.hpp"
#include "targets.hpp"
#include "timed.hpp"
#include "verification.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows here are in the order of the samples.
template <class T>
class Solver {
 public:
  // Of a cold start, the last `held_out` rows are held out.
  Solver(State state, Index held_out, const Start& start, Gram<T>& gram, const SolverOptions& options, Stop& stop)
      : start_(start),
        options_(options),
        stop_(stop),
        held_out_(held_out),
        active_(gram, largest_diagonal(state), options, stop, solution_.seconds),
        rows_(std::move(state), gram, stop) {}

  Solution run() {
    try {
      solve_samples();
      solve_whole();
      if (rows_.size() <= options_.few_rows) refine();
    } catch (const Stopped& stopped) {
      rows_.take_coef(active_.rows(), active_.state().coef);
      rows_.give_sums(start_, rows_.size(), unit_);
      solution_.status = stopped.status;
    }
    solution_.coef = rows_.coef();
    solution_.steps = stop_.progress.steps;
    return std::move(solution_);
  }

 private:
  void solve_samples() {
    const Index others = rows_.size() - held_out_;
    if (start_.is_cold()) {
      std::vector<Index> sizes = sample_sizes(others, options_.first_sample);
      if (held_out_ > 0) sizes.push_back(others);  // the machine that does not know the rest
      for (const Index size : sizes) {
        admit(size);
        improve(sample_target(unit_, options_.tol));
      }
      if (held_out_ > 0 && start_.has_weight()) improve_to_the_margin();
    }
    admit(rows_.size());
  }

  void solve_whole() {
    if (const auto rounding = verification_.rounding_to_measure(rows_, scale())) {
      improve(*rounding);
      if (verification_.finds_doubt(rows_, scale())) active_.doubt();
    }
    for (double target = verification_.first_target();;) {
      improve(target);
      verify();
      if (verification_.is_satisfied(rows_, solution_.violation)) return;
      target = verification_.next_target(target, solution_.violation);
    }
  }

  // Goes on for some steps, so that the machine does not depend on how it was found by as much as tol allows.
  void refine() {
    activate();
    active_.refine(fine_target(unit_), fine_steps(rows_.size()));
    settle();
  }

  void admit(Index rows) {
    const Timed timed(solution_.seconds.resting);
    rows_.admit(rows);
    if (held_out_ > 0 && !rows_.is_sample())
      solution_.held_out = {rows_.values(rows_.size() - held_out_), active_.pivots()};
    if (rows_.give_sums(start_, rows, unit_)) rows_.evaluate_all();
    if (unit_ == 0) unit_ = rows_.spread();
  }

  // Where the margin is found with the machine, the unit says nothing of it: held-out rows are valued beside it.
  void improve_to_the_margin() {
    for (double target = infinity; target > margin_target(active_.pivots(), options_.tol);) {
      target = margin_target(active_.pivots(), options_.tol);
      improve(target, false);
    }
  }

  // Rounds, until the violation of the known rows is at most `target`; of a sample, until few rows violate it.
  void improve(double target, bool few_may_violate = true) {
    Patience patience(rows_.known(), stop_.progress.steps);
    for (;;) {
      const double violation = rows_.extremes().violation();
      if (violation <= target || (few_may_violate && rows_.is_sample() && few_violate(target))) return;
      patience.watch(violation, stop_.progress.steps);
      const Index before = stop_.progress.steps;
      activate();
      descend(violation, target);
      settle();
      refresh();
      if (stop_.progress.steps == before) return;  // no step changes anything: the float64 values decide
    }
  }

  void activate() {
    const std::vector<Index> rows = active_.rows_for(rows_.choose(active_.is_active(), active_.activation(unit_)));
    stop_.progress.active_rows = length(rows);
    active_.hold(rows, rows_.up_to_date(rows));
  }

  void descend(double violation, double target) {
    const RoundStart round{violation, target, rows_.is_sample(), active_.size() == rows_.known()};
    active_.descend(active_target(round), Patience(rows_.known(), stop_.progress.steps));
  }

  void settle() {
    rows_.settle(active_.rows(), active_.state());
    if (options_.record) solution_.rounds.push_back({stop_.progress.steps, active_.size(), rows_.coef()});
  }

  void refresh() {
    const Timed timed(solution_.seconds.resting);
    const double safety = options_.verify || start_.has_weight() ? 1.0 : screening_factor;
    rows_.refresh(active_.is_active(), {options_.screening, safety, extremes(active_.state()), active_.pivots()});
  }

  void verify() {
    const Timed timed(solution_.seconds.exact);
    solution_.violation = verification_.verify(rows_, scale());
  }

  bool few_violate(double tol) const { return are_few(rows_.count_violators(active_.pivots(), tol), active_.size()); }
  Scale scale() const { return {active_.pivots(), unit_, active_.largest_diagonal()}; }

  const Start& start_;
  const SolverOptions& options_;
  Stop& stop_;
  const Index held_out_;
  Solution solution_;
  ActiveSet<T> active_;
  RestingRows<T> rows_;
  Verification<T> verification_{options_};
  double unit_ = options_.unit;  // how far values lie apart, about; 0: not known yet
};

}  // namespace

template <class T>
Solution solve(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop) {
  const Index held_out = qp.cold ? qp.held_out : 0;
  const std::vector<Index> order = sample_order(gram.size(), options.first_sample, held_out);
  PermutedGram<T> sampled(gram, order);
  State state = restricted(start_state(qp), order);
  sampled.diagonal(state.diagonal.data());
  const Start start(state, qp.cold);
  Solution found = Solver<T>(std::move(state), held_out, start, sampled, options, stop).run();
  found.coef = in_given_order(found.coef, order);
  for (Round& round : found.rounds) round.coef = in_given_order(round.coef, order);
  return found;
}

template Solution solve(const BoxQp&, Gram<float>&, const SolverOptions&, Stop&);
template Solution solve(const BoxQp&, Gram<double>&, const SolverOptions&, Stop&);

}  // namespace mercer
