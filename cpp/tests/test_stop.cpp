// Deadline, step limit and reports.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "mercer/stop.hpp"

using namespace mercer;

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr Index any_steps = std::numeric_limits<Index>::max();

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Polls until it is stopped, for at most `seconds`; solved where nobody stopped it.
Status polled(Stop& stop, double seconds) {
  const auto began = std::chrono::steady_clock::now();
  try {
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds) {
      stop.poll();
      wait(0.001);
    }
  } catch (const Stopped& stopped) {
    return stopped.status;
  }
  return Status::solved;
}

}  // namespace

TEST(stop_never_stops_by_default) {
  Stop stop;
  stop.count_steps(1'000'000'000'000);
  CHECK(polled(stop, 0.01) == Status::solved);
}

TEST(stop_at_the_deadline) {
  Stop now(0, any_steps, nullptr), soon(0.03, any_steps, nullptr), late(1e6, any_steps, nullptr);
  CHECK(polled(now, 0.01) == Status::time_limit);
  CHECK(polled(late, 0.01) == Status::solved);
  CHECK(polled(soon, 5) == Status::time_limit);
}

TEST(stop_at_the_step_limit) {
  Stop stop(forever, 10, nullptr);
  stop.count_steps(4);
  CHECK(stop.steps_left() == 6);
  stop.count_steps(5);
  CHECK(stop.progress.steps == 9);
  CHECK_THROWS(Stopped, stop.count_steps(1));
  try {
    stop.count_steps(1);
  } catch (const Stopped& stopped) {
    CHECK(stopped.status == Status::step_limit);
  }
}

TEST(stop_reports_about_ten_times_a_second) {
  int reports = 0;
  double last = 0, shortest = forever;
  Stop stop(forever, any_steps, [&](const Progress& progress) {
    if (reports++ > 0) shortest = std::min(shortest, progress.seconds - last);
    last = progress.seconds;
    return true;
  });
  stop.poll();
  CHECK(reports == 0);
  CHECK(polled(stop, 0.45) == Status::solved);
  CHECK(reports >= 2 && reports <= 4);
  CHECK(shortest >= 0.0999);
}

TEST(stop_reports_the_progress_it_was_given) {
  Progress seen;
  Stop stop(forever, any_steps, [&](const Progress& progress) {
    seen = progress;
    return true;
  });
  stop.count_steps(7);
  stop.progress.violation = 0.5;
  stop.progress.active_rows = 3;
  wait(0.11);
  stop.poll();
  CHECK(seen.steps == 7 && seen.violation == 0.5 && seen.active_rows == 3 && seen.seconds >= 0.1);
}

TEST(stop_where_the_report_asks_for_it) {
  Stop stop(forever, any_steps, [](const Progress&) { return false; });
  CHECK(polled(stop, 5) == Status::interrupted);
}

TEST(stop_lets_exceptions_of_the_report_through) {
  Stop stop(forever, any_steps, [](const Progress&) -> bool { throw std::domain_error("report"); });
  wait(0.11);
  CHECK_THROWS(std::domain_error, stop.poll());
}
