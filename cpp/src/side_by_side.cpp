#include "mercer/side_by_side.hpp"

#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Less of the time than this is not worth another round.
constexpr double least_time_left = 0.02;

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
  void give_up() { give_up_ = true; }

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

void side_by_side(const std::vector<double>& work, const Limits& limits, int threads, const Stop::Report& report,
                  const std::function<Status(std::size_t, Stop*)>& solve) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const std::thread::id caller = std::this_thread::get_id();
  Announcer announcer(report);

  std::vector<Status> statuses(work.size(), Status::interrupted);
  std::vector<Index> steps(work.size(), 0);
  std::vector<std::size_t> unsolved(work.size());
  std::iota(unsolved.begin(), unsolved.end(), std::size_t(0));
  std::vector<double> work_left;  // of an unsolved problem and all after it

  const auto solve_one = [&](Index number) {
    const std::size_t k = unsolved[static_cast<std::size_t>(number)];
    const double left = work_left[static_cast<std::size_t>(number)];
    const double share = std::min(1.0, threads * (left - work_left[static_cast<std::size_t>(number) + 1]) / left);
    const bool on_caller = std::this_thread::get_id() == caller;
    Stop stop((limits.seconds - elapsed()) * share, limits.max_steps - steps[k], [&, k](Progress progress) {
      progress.problem = static_cast<Index>(k);
      return announcer.hear(progress) && (!on_caller || announcer.tell(elapsed()));
    });
    try {
      statuses[k] = solve(k, announcer.given_up() ? nullptr : &stop);
    } catch (...) {
      announcer.give_up();  // nobody will have what the others find
      throw;
    }
    steps[k] += stop.progress.steps;
  };
  Stop while_waiting(std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max(), [&](const Progress&) {
    announcer.tell(elapsed());
    return true;  // the problems at work end by themselves and keep what they have
  });
  // What some leave of their time is for those that had too little.
  do {
    work_left.assign(unsolved.size() + 1, 0.0);
    for (std::size_t k = unsolved.size(); k-- > 0;) work_left[k] = work_left[k + 1] + work[unsolved[k]];
    parallel_for(static_cast<Index>(unsolved.size()), threads, solve_one, &while_waiting);
    std::erase_if(unsolved, [&](std::size_t k) { return statuses[k] != Status::time_limit; });
  } while (!unsolved.empty() && limits.seconds - elapsed() > least_time_left * limits.seconds);
}

}  // namespace mercer
