#include <atomic>
#include <mutex>
#include <thread>

#include "mercer/pool.hpp"
#include "mercer/solver.hpp"

namespace mercer {
namespace {

// Progress of problems on several threads, told by one of them: the others cannot call back.
class Announcer {
 public:
  explicit Announcer(const Stop::Report& report) : report_(report) {}

  // False where all should end.
  bool hear(const Progress& progress) {
    const std::lock_guard lock(guard_);
    latest_ = progress;
    return !give_up_;
  }

  bool given_up() const { return give_up_; }

  // On the calling thread only.
  bool tell(double seconds) {
    Progress progress;
    {
      const std::lock_guard lock(guard_);
      progress = latest_;
    }
    progress.seconds = seconds;
    try {
      if (report_ && !report_(progress)) give_up_ = true;
    } catch (...) {
      give_up_ = true;
      throw;
    }
    return !give_up_;
  }

 private:
  const Stop::Report& report_;
  std::mutex guard_;
  Progress latest_;
  std::atomic<bool> give_up_{false};
};

}  // namespace

template <class T>
std::vector<Solution> solve_all(const std::vector<Task<T>>& tasks, const SolverOptions& options, const Limits& limits,
                                int threads, const Stop::Report& report) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const std::thread::id caller = std::this_thread::get_id();
  Announcer announcer(report);

  // work_left[k]: the squares of the sizes of task k and all later ones.
  std::vector<double> work_left(tasks.size() + 1, 0.0);
  for (std::size_t k = tasks.size(); k-- > 0;) {
    const auto n = static_cast<double>(tasks[k].qp.signs.size());
    work_left[k] = work_left[k + 1] + n * n;
  }

  std::vector<Solution> solutions(tasks.size());
  const auto solve_one = [&](Index number) {
    const auto k = static_cast<std::size_t>(number);
    const double share = std::min(1.0, threads * (work_left[k] - work_left[k + 1]) / work_left[k]);
    const bool on_caller = std::this_thread::get_id() == caller;
    Stop stop((limits.seconds - elapsed()) * share, limits.max_steps, [&, number](Progress progress) {
      progress.problem = number;
      return announcer.hear(progress) && (!on_caller || announcer.tell(elapsed()));
    });
    if (announcer.given_up()) {
      const auto& start = tasks[k].qp.start;
      solutions[k].alpha.assign(start.begin(), start.end());
      solutions[k].status = Status::interrupted;
      return;
    }
    const auto gram = (*tasks[k].gram)();
    solutions[k] = solve<T>(tasks[k].qp, *gram, options, stop);
  };
  Stop while_waiting(std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max(), [&](const Progress&) {
    announcer.tell(elapsed());
    return true;  // the problems at work end by themselves and keep what they have
  });
  parallel_for(static_cast<Index>(tasks.size()), threads, solve_one, &while_waiting);
  return solutions;
}

template std::vector<Solution> solve_all(const std::vector<Task<float>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);
template std::vector<Solution> solve_all(const std::vector<Task<double>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);

}  // namespace mercer
