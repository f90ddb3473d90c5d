// The way back into Python during a computation: signals, progress, the caller's wish to stop.
#pragma once

#include <nanobind/nanobind.h>

#include "mercer/stop.hpp"

namespace mercer::bind {

// `report` is None or a callable of (seconds, steps, violation, active rows, problem) that returns True to stop.
inline Stop::Report report_to(nanobind::object report) {
  return [report = std::move(report)](const Progress& progress) {
    const nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (report.is_none()) return true;
    return !nanobind::cast<bool>(
        report(progress.seconds, progress.steps, progress.violation, progress.active_rows, progress.problem));
  };
}

}  // namespace mercer::bind
