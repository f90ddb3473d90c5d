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

// No limit, but signals are heard.
inline Stop interruptible() {
  return Stop(std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max(), report_to(nanobind::none()));
}

}  // namespace mercer::bind
