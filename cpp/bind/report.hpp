// The way back into Python during a computation: signals, progress, the caller's wish to stop.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <limits>

#include "mercer/stop.hpp"

namespace mercer::bind {

// A daemon thread may still be at work when the interpreter ends. It can never have the GIL again, and Python would end
// it in the middle of C++ code; so it waits for the process to go.
inline void wait_if_the_interpreter_ends() {
#if PY_VERSION_HEX >= 0x030d0000
  const bool ends = Py_IsFinalizing();
#else
  const bool ends = _Py_IsFinalizing();
#endif
  while (ends) pause();
}

// Releases the GIL for its scope.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    wait_if_the_interpreter_ends();
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// `report` is None or a callable of (seconds, steps, violation, active rows, problem) that returns True to stop.
inline Stop::Report report_to(nanobind::object report) {
  return [report = std::move(report)](const Progress& progress) {
    wait_if_the_interpreter_ends();
    const nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (report.is_none()) return true;
    return !nanobind::cast<bool>(
        report(progress.seconds, progress.steps, progress.violation, progress.active_rows, progress.problem));
  };
}

// Tells the seconds that the caller has left; what it is was set from Python. Never destroyed, as the interpreter may
// be gone by then.
inline nanobind::object& seconds_left() {
  static auto* const asked = new nanobind::object;
  return *asked;
}

// Signals are heard, and the deadline of the caller, where there is one. Needs the GIL.
inline Stop interruptible() {
  const double seconds =
      seconds_left().is_valid() ? nanobind::cast<double>(seconds_left()()) : std::numeric_limits<double>::infinity();
  return Stop(seconds, std::numeric_limits<Index>::max(), report_to(nanobind::none()));
}

// What work(stop) returns, without the GIL.
template <class Work>
auto interruptibly(Work work) {
  Stop stop = interruptible();
  const WithoutGil released;
  return work(&stop);
}

}  // namespace mercer::bind
