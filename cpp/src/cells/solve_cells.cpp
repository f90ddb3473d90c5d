// Solves      the box QPs of cells.hpp
// Given       Gram matrices, whose values are computed once and stored
// Returns     coefficients, values and optimality of each cell on each split
// Stops when  the violation of all known rows is within tol, or as the status says
// See         docs/concepts/tuning.md
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "chain.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

using Clock = std::chrono::steady_clock;

// Where a chain is parted, each piece begins anew: that is worth so many cells, and some pieces more than threads, for
// they take unequal times.
constexpr Index least_cells_per_piece = 4;
constexpr Index pieces_per_thread = 2;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

// The chains of one group, each taken on by one thread at a time: the one that is furthest behind first. One that goes
// through all cells begins from the one that stands `apart` before it among those of its problem, where there is one:
// so many can begin at once.
template <class T>
class Chains {
 public:
  explicit Chains(Index apart) : apart_(apart) {}

  void add(std::unique_ptr<Chain<T>> chain, Index split, bool begins_alone) {
    const bool has_example = split >= apart_ && chain->cell() == 0 && !begins_alone;
    chains_.push_back({std::move(chain), split, has_example, false, false});
  }

  // Until all are done, or none can be taken on.
  Status work(Stop& stop) {
    while (One* one = take()) {
      Status status = Status::solved;
      try {
        if (one->has_example && !one->has_begun) one->chain->begin_from(one->split - apart_);
        one->chain->solve_next(stop);
      } catch (const Stopped& stopped) {
        status = stopped.status;
      }
      const std::lock_guard lock(guard_);
      one->is_busy = false;
      one->has_begun = one->chain->has_begun();
      if (status != Status::solved) return status;
    }
    return Status::solved;
  }

 private:
  struct One {
    std::unique_ptr<Chain<T>> chain;
    Index split;
    bool has_example;
    bool is_busy;
    bool has_begun;  // whether its first machine is there for others to begin from
  };

  One* take() {
    const std::lock_guard lock(guard_);
    One* best = nullptr;
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      One& one = chains_[k];
      if (one.is_busy || one.chain->is_done() || (best && one.chain->cell() >= best->chain->cell())) continue;
      const bool waits = one.has_example && !one.has_begun && !chains_[k - static_cast<std::size_t>(apart_)].has_begun;
      if (!waits) best = &one;
    }
    if (best) best->is_busy = true;
    return best;
  }

  std::mutex guard_;
  std::vector<One> chains_;
  const Index apart_;
};

// How many chains a split is parted into: one, unless threads would have nothing to do.
Index pieces_of(const std::vector<Cells>& problems, int threads) {
  Index splits = 0;
  for (const Cells& cells : problems) splits += cells.splits;
  if (splits >= threads) return 1;
  return std::clamp<Index>(problems.front().count() / least_cells_per_piece, 1, pieces_per_thread * threads);
}

CellSolutions room_for(const Cells& cells) {
  CellSolutions out;
  const auto machines = static_cast<std::size_t>(cells.count() * cells.splits);
  out.coef.assign(machines * static_cast<std::size_t>(cells.rows), 0.0);
  out.values.assign(out.coef.size(), 0.0);
  out.optimality.assign(machines, {});
  out.steps.assign(machines, 0);
  out.statuses.assign(machines, Status::time_limit);
  out.copied.assign(machines, 0);
  return out;
}

// Says why machines were not solved that have not been looked at.
void mark_unfinished(std::vector<CellSolutions>& out, Status why) {
  for (CellSolutions& one : out) std::ranges::replace(one.statuses, Status::time_limit, why);
}

// Returns what `solve` does with the kernel values of the group and their diagonal.
template <class T, class Solve>
void with_values(const CellGroup<T>& group, Room<T>& room, Stop& stop, Solve solve) {
  const auto gram = (*group.gram)();
  const Index n = gram->size();
  Buffer<T> values = room.take(n * n);
  gram->block(counted(0, n), values.data(), n, stop);
  std::vector<double> diagonal(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) at(diagonal, i) = static_cast<double>(values[i * n + i]);
  solve(*gram, Block<T>{values.data(), n}, diagonal);
  room.give_back(std::move(values));
}

// All chains of a group: on one thread, where `stop` is polled, or on several, which have limits of their own.
template <class T>
Status solve_group(const CellGroup<T>& group, Room<T>& room, const SolverOptions& options,
                   std::vector<CellSolutions>& out, int threads, const Limits& limits, const Stop::Report& report,
                   Stop& stop) {
  const Clock::time_point began = Clock::now();
  Status status = Status::solved;
  std::atomic<Status> stopped_by{Status::solved};
  try {
    with_values(group, room, stop, [&](Gram<T>& gram, const Block<T>& kernel, const std::vector<double>& diagonal) {
      Chains<T> chains(threads);
      const Index pieces = pieces_of(group.problems, threads);
      for (std::size_t p = 0; p < group.problems.size(); ++p) {
        const Cells& cells = group.problems[p];
        for (Index piece = 0; piece < pieces; ++piece)
          for (Index split = 0; split < cells.splits; ++split)
            chains.add(std::make_unique<Chain<T>>(gram, kernel, diagonal, cells, split, options, room, out[p],
                                                  piece * cells.count() / pieces, (piece + 1) * cells.count() / pieces),
                       split, !cells.begin.empty());
      }
      if (threads == 1) {
        status = chains.work(stop);
        return;
      }
      const Limits left{limits.seconds - seconds_since(began), limits.max_steps};
      side_by_side(std::vector<double>(static_cast<std::size_t>(threads), 1.0), left, threads, report,
                   [&](std::size_t, Stop* own) {
                     const Status ended = own ? chains.work(*own) : Status::interrupted;
                     if (ended != Status::solved) stopped_by = ended;
                     return ended;
                   });
      status = stopped_by;
    });
  } catch (const Stopped& stopped) {
    status = stopped.status;
  }
  if (status != Status::solved) mark_unfinished(out, status);
  return status;
}

}  // namespace

template <class T>
std::vector<std::vector<CellSolutions>> solve_cells(const std::vector<CellGroup<T>>& groups, Room<T>& room,
                                                    const SolverOptions& options, const Limits& limits, int threads,
                                                    const Stop::Report& report) {
  std::vector<std::vector<CellSolutions>> found(groups.size());
  std::vector<double> work;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Cells& cells : groups[g].problems) found[g].push_back(room_for(cells));
    const auto n = static_cast<double>(groups[g].problems.front().rows);
    work.push_back(n * n);
  }
  if (threads > 1 && length(groups) < 2 * threads) {
    const Clock::time_point began = Clock::now();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Limits left{limits.seconds - seconds_since(began), limits.max_steps};
      Stop stop(left.seconds, left.max_steps, report);
      solve_group(groups[g], room, options, found[g], threads, left, report, stop);
    }
    return found;
  }
  side_by_side(work, limits, threads, report, [&](std::size_t g, Stop* stop) {
    if (stop) return solve_group(groups[g], room, options, found[g], 1, limits, report, *stop);
    mark_unfinished(found[g], Status::interrupted);
    return Status::interrupted;
  });
  return found;
}

template std::vector<std::vector<CellSolutions>> solve_cells(const std::vector<CellGroup<float>>&, Room<float>&,
                                                             const SolverOptions&, const Limits&, int,
                                                             const Stop::Report&);
template std::vector<std::vector<CellSolutions>> solve_cells(const std::vector<CellGroup<double>>&, Room<double>&,
                                                             const SolverOptions&, const Limits&, int,
                                                             const Stop::Report&);

}  // namespace mercer
