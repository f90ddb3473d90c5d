// When to stop: the deadline, the step limit and the caller's wish, asked at every polling point.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <limits>

#include "mercer/view.hpp"

namespace mercer {

enum class Status {
  solved,       // every row is within the tolerance
  time_limit,   // stopped at the deadline
  step_limit,   // stopped at the number of two-variable steps allowed
  stalled,      // rounding keeps the violation above the tolerance
  interrupted,  // the caller asked to stop
  unbounded,    // without upper bounds the dual grows: the margin is below what was asked
};

struct Progress {
  double seconds = 0;
  Index steps = 0;
  double violation = std::numeric_limits<double>::infinity();
  Index active_rows = 0;
  Index problem = 0;  // of several
};

// Thrown at a polling point and caught by the solver, which then returns what it has.
struct Stopped : std::exception {
  explicit Stopped(Status why) : status(why) {}
  const char* what() const noexcept override { return "the computation was stopped"; }
  Status status;
};

class Stop {
 public:
  // Returns false to stop. May throw; the exception reaches the caller of the solver.
  using Report = std::function<bool(const Progress&)>;

  Stop() = default;
  Stop(double seconds, Index max_steps, Report report)
      : deadline_(seconds), max_steps_(max_steps), report_(std::move(report)) {}

  Progress progress;

  // Call it every millisecond or so of work, from the thread that started the work.
  void poll() {
    const double now = std::chrono::duration<double>(Clock::now() - start_).count();
    if (now >= deadline_) throw Stopped(Status::time_limit);
    if (report_ && now >= next_report_) {
      next_report_ = now + report_interval;
      progress.seconds = now;
      if (!report_(progress)) throw Stopped(Status::interrupted);
    }
  }

  Index steps_left() const { return max_steps_ - progress.steps; }
  void count_steps(Index steps) {
    progress.steps += steps;
    if (steps_left() <= 0) throw Stopped(Status::step_limit);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double report_interval = 0.1;
  Clock::time_point start_ = Clock::now();
  double next_report_ = report_interval;
  double deadline_ = std::numeric_limits<double>::infinity();
  Index max_steps_ = std::numeric_limits<Index>::max();
  Report report_;
};

}  // namespace mercer
