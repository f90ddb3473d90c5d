#include <atomic>
#include <thread>

#include "mercer/pool.hpp"
#include "mercer/solver.hpp"

namespace mercer {

template <class T>
std::vector<Solution> solve_all(const std::vector<Task<T>>& tasks, const SolverOptions& options, const Limits& limits,
                                int threads, const Stop::Report& report) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const std::thread::id caller = std::this_thread::get_id();
  const auto count = static_cast<Index>(tasks.size());
  std::atomic<bool> give_up{false};

  // work_left[k]: the squares of the sizes of task k and all later ones.
  std::vector<double> work_left(tasks.size() + 1, 0.0);
  for (std::size_t k = tasks.size(); k-- > 0;) {
    const auto n = static_cast<double>(tasks[k].qp.signs.size());
    work_left[k] = work_left[k + 1] + n * n;
  }

  std::vector<Solution> solutions(tasks.size());
  parallel_for(count, threads, [&](Index number) {
    const auto k = static_cast<std::size_t>(number);
    const double seconds_left = limits.seconds - std::chrono::duration<double>(Clock::now() - began).count();
    const double share = std::min(1.0, threads * (work_left[k] - work_left[k + 1]) / work_left[k]);
    const bool speaks = std::this_thread::get_id() == caller;
    Stop stop(seconds_left * share, limits.max_steps, [&, number](Progress progress) {
      progress.problem = number;
      try {
        if (speaks && report && !report(progress)) give_up = true;
      } catch (...) {
        give_up = true;
        throw;
      }
      return !give_up;
    });
    const auto gram = (*tasks[k].gram)();
    solutions[k] = solve<T>(tasks[k].qp, *gram, options, stop);
  });
  return solutions;
}

template std::vector<Solution> solve_all(const std::vector<Task<float>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);
template std::vector<Solution> solve_all(const std::vector<Task<double>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);

}  // namespace mercer
