#include "mercer/expansion.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "for_each_tile.hpp"
#include "sums.hpp"

namespace mercer {
namespace {

// A stop without limits that asks a predicate now and then.
template <class Predicate>
Stop polling(Predicate should_go_on) {
  return Stop(std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max(),
              [should_go_on](const Progress&) { return should_go_on(); });
}

// The sums of each expansion, zero before add(expansion, sums, workers) comes to them. Only the calling thread may poll
// the caller's stop; the others are told when it gives up.
template <class Add>
std::vector<std::vector<double>> side_by_side(const std::vector<Expansion>& expansions, const Workers& workers,
                                              Add add) {
  if (workers.stop) workers.stop->poll();
  std::vector<std::vector<double>> out(expansions.size());
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> given_up{false};
  Stop on_caller = polling([&] {
    try {
      if (workers.stop) workers.stop->poll();
    } catch (...) {
      given_up = true;
      throw;
    }
    return true;
  });
  parallel_for(
      std::ssize(expansions), workers.threads,
      [&](Index number) {
        const auto k = static_cast<std::size_t>(number);
        out[k].assign(expansions[k].targets.size(), 0.0);
        Stop elsewhere = polling([&] { return !given_up; });
        const bool is_caller = std::this_thread::get_id() == caller;
        add(expansions[k], out[k].data(), Workers{workers.threads, is_caller ? &on_caller : &elsewhere});
      },
      &on_caller);
  return out;
}

void check_rows(std::span<const Index> numbers, Index rows) {
  for (const Index i : numbers)
    if (i < 0 || i >= rows) throw std::invalid_argument("a row lies outside the data");
}

}  // namespace

Expansion checked_expansion(std::span<const Index> targets, std::span<const Index> sources,
                            std::span<const double> coef, Index rows) {
  if (sources.size() != coef.size()) throw std::invalid_argument("there must be one coefficient a source");
  check_rows(targets, rows);
  check_rows(sources, rows);
  Expansion expansion{{targets.begin(), targets.end()}, {}, {}};
  for (std::size_t j = 0; j < coef.size(); ++j) {
    if (coef[j] == 0) continue;
    expansion.sources.push_back(sources[j]);
    expansion.coef.push_back(coef[j]);
  }
  return expansion;
}

template <class T>
void add_products(const Prepared<T>& data, std::span<const Index> targets, std::span<const Index> sources,
                  std::span<const double> coef, double* out, const Workers& workers) {
  if (targets.empty() || sources.empty()) return;
  for_each_tile(data.kernel, Operand<T>::gathered(data.points, targets, data.points.layout()),
                Operand<T>::gathered(data.points, sources, data.centres), Sums<T>(coef, out), workers);
}

template <class T>
std::vector<std::vector<double>> expand(const Prepared<T>& data, const std::vector<Expansion>& expansions,
                                        const Workers& workers) {
  return side_by_side(expansions, workers, [&](const Expansion& one, double* out, const Workers& at_work) {
    add_products<T>(data, one.targets, one.sources, one.coef, out, at_work);
  });
}

template <class T>
std::vector<std::vector<double>> expand(const Kernel& kernel, const Frame& frame, const Matrix& X,
                                        const std::vector<Expansion>& expansions, const Workers& workers) {
  const Kernel scaled = kernel.in(frame);
  const Layout layout = layout_for(X);
  return side_by_side(expansions, workers, [&](const Expansion& one, double* out, const Workers& at_work) {
    if (one.targets.empty() || one.sources.empty()) return;
    for_each_tile(scaled, Operand<T>::read(X, one.targets, frame, query_layout(layout)),
                  Operand<T>::read(X, one.sources, frame, layout), Sums<T>(one.coef, out), at_work);
  });
}

#define MERCER_INSTANTIATE(T)                                                                            \
  template void add_products<T>(const Prepared<T>&, std::span<const Index>, std::span<const Index>,      \
                                std::span<const double>, double*, const Workers&);                       \
  template std::vector<std::vector<double>> expand<T>(const Prepared<T>&, const std::vector<Expansion>&, \
                                                      const Workers&);                                   \
  template std::vector<std::vector<double>> expand<T>(const Kernel&, const Frame&, const Matrix&,        \
                                                      const std::vector<Expansion>&, const Workers&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
