#include "mercer/reduce.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace mercer {
namespace {

// Threads take this many queries at a time: enough to pay for preparing them, few enough to poll often.
constexpr Index queries_a_chunk = 192;

// Centres of a sum are gathered this many values at a time, 4 MB in float32, whatever their number.
constexpr Index centre_values_at_once = 1'000'000;

Index chunks_of(Index total, Index size) { return (total + size - 1) / size; }

Index centres_at_once(Index features) {
  return std::max<Index>(256, centre_values_at_once / std::max<Index>(1, features) / 256 * 256);
}

// Coefficients in the precision of the values, with zeros up to a whole panel.
template <class T>
Buffer<T> padded(std::span<const double> coef) {
  const auto count = static_cast<Index>(coef.size());
  Buffer<T> values(chunks_of(count, lanes<T>) * lanes<T>);
  std::fill_n(values.data(), values.size(), T(0));
  std::ranges::transform(coef, values.data(), [](double c) { return static_cast<T>(c); });
  return values;
}

// out[i] += sum_b coef[b] k(query i, centre b), a tile at a time.
template <class T>
void add_sums(Tile<T>& tile, const Points<T>& queries, const Points<T>& centres, const T* coef, double* out) {
  for (Index a0 = 0; a0 < queries.size(); a0 += Tile<T>::max_queries)
    for (Index b0 = 0; b0 < centres.size(); b0 += Tile<T>::max_centres)
      tile.add_sums(queries, a0, std::min(Tile<T>::max_queries, queries.size() - a0), centres, b0,
                    std::min(Tile<T>::max_centres, centres.size() - b0), coef + b0, out + a0);
}

// Centres that serve the same outputs, with their coefficients: panels of outputs for each centre in turn.
template <class T>
struct Group {
  Index first;
  Index last;
  std::vector<Index> outputs;
  Buffer<T> coef;

  const T* panel(Index p, Index centre) const { return coef.data() + (p * (last - first) + centre - first) * lanes<T>; }
};

template <class T>
std::vector<Group<T>> grouped(const std::vector<Segment>& segments) {
  std::vector<const Segment*> sorted;
  for (const Segment& part : segments)
    if (part.first < part.last) sorted.push_back(&part);
  const auto range = [](const Segment* part) { return std::pair(part->first, part->last); };
  std::ranges::stable_sort(sorted, {}, range);
  std::vector<Group<T>> groups;
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && range(sorted[to]) == range(sorted[from])) ++to;
    Group<T> group{sorted[from]->first, sorted[from]->last, {}, {}};
    const Index count = group.last - group.first;
    group.coef = Buffer<T>(chunks_of(static_cast<Index>(to - from), lanes<T>) * count * lanes<T>);
    std::fill_n(group.coef.data(), group.coef.size(), T(0));
    for (std::size_t s = from; s < to; ++s) {
      const auto lane = static_cast<Index>(s - from);
      T* values = group.coef.data() + lane / lanes<T> * count * lanes<T> + lane % lanes<T>;
      for (Index k = 0; k < count; ++k) values[k * lanes<T>] = static_cast<T>(sorted[s]->coef[k]);
      group.outputs.push_back(sorted[s]->output);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// Several outputs: a tile of kernel values times the coefficients of each group, a panel of outputs at a time.
template <class T>
void add_outputs(Tile<T>& tile, const Points<T>& queries, const Points<T>& centres, const std::vector<Group<T>>& groups,
                 Index outputs, double* out) {
  Buffer<T> sums(rows_at_once * lanes<T>);
  for (Index a0 = 0; a0 < queries.size(); a0 += Tile<T>::max_queries) {
    const Index na = std::min(Tile<T>::max_queries, queries.size() - a0);
    for (Index b0 = 0; b0 < centres.size(); b0 += Tile<T>::max_centres) {
      const Index b1 = std::min(centres.size(), b0 + Tile<T>::max_centres);
      tile.compute(queries, a0, na, centres, b0, b1 - b0);
      for (const Group<T>& group : groups) {
        const Index from = std::max(group.first, b0), to = std::min(group.last, b1);
        if (from >= to) continue;
        const auto used = static_cast<Index>(group.outputs.size());
        for (Index p = 0; p * lanes<T> < used; ++p) {
          const PanelBlock<T> block{.A = tile.row(0) + (from - b0),
                                    .A_norms = nullptr,
                                    .na = na,
                                    .stride = Tile<T>::max_centres,
                                    .B = group.panel(p, from),
                                    .B_norms = nullptr,
                                    .panels = 1,
                                    .d = to - from};
          ops<T>().products(block, sums.data(), lanes<T>);
          const Index width = std::min(lanes<T>, used - p * lanes<T>);
          for (Index a = 0; a < na; ++a)
            for (Index o = 0; o < width; ++o)
              out[(a0 + a) * outputs + group.outputs[static_cast<std::size_t>(p * lanes<T> + o)]] +=
                  static_cast<double>(sums[a * lanes<T> + o]);
        }
      }
    }
  }
}

// No limit but a wish, which is asked for now and then.
template <class Wish>
Stop hears(Wish goes_on) {
  return Stop(std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max(),
              [goes_on](const Progress&) { return goes_on(); });
}

// Values of each expansion, zero before add(expansion, values, stop) comes to them. Only the calling thread may poll;
// the others are told when it gives up.
template <class Add>
std::vector<std::vector<double>> side_by_side(const std::vector<Expansion>& expansions, int threads, Stop* stop,
                                              Add add) {
  if (stop) stop->poll();
  std::vector<std::vector<double>> out(expansions.size());
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> given_up{false};
  Stop on_caller = hears([&] {
    try {
      if (stop) stop->poll();
    } catch (...) {
      given_up = true;
      throw;
    }
    return true;
  });
  parallel_for(
      static_cast<Index>(expansions.size()), threads,
      [&](Index number) {
        const auto k = static_cast<std::size_t>(number);
        out[k].assign(expansions[k].targets.size(), 0.0);
        Stop elsewhere = hears([&] { return !given_up; });
        add(expansions[k], out[k], std::this_thread::get_id() == caller ? on_caller : elsewhere);
      },
      &on_caller);
  return out;
}

template <class T>
Points<T> some_rows(const Matrix& X, const std::vector<Index>* rows, Index first, Index last, const Frame& frame,
                    Layout layout) {
  if (!rows) return Points<T>::range(X, first, last, frame, layout);
  const std::vector<Index> chosen(rows->begin() + first, rows->begin() + last);
  return Points<T>(X, &chosen, frame, layout);
}

}  // namespace

template <class T>
void evaluate(const Kernel& kernel, const Frame& frame, const Points<T>& centres, const std::vector<Segment>& segments,
              Index outputs, const Matrix& X, const std::vector<Index>* rows, double* out, int threads, Stop* stop) {
  const Index n = rows ? static_cast<Index>(rows->size()) : rows_of(X);
  std::fill_n(out, n * outputs, 0.0);
  std::vector<double> all(static_cast<std::size_t>(outputs == 1 ? centres.size() : 0), 0.0);
  if (outputs == 1)
    for (const Segment& part : segments)
      for (Index k = part.first; k < part.last; ++k) all[static_cast<std::size_t>(k)] += part.coef[k - part.first];
  const Buffer<T> coef = padded<T>(all);
  const std::vector<Group<T>> groups = outputs == 1 ? std::vector<Group<T>>() : grouped<T>(segments);
  parallel_for(
      chunks_of(n, queries_a_chunk), threads,
      [&](Index chunk) {
        const Index first = chunk * queries_a_chunk, last = std::min(n, first + queries_a_chunk);
        const Points<T> queries = some_rows<T>(X, rows, first, last, frame, query_layout(centres.layout()));
        Tile<T> tile(kernel);
        if (outputs == 1)
          add_sums(tile, queries, centres, coef.data(), out + first);
        else
          add_outputs(tile, queries, centres, groups, outputs, out + first * outputs);
      },
      stop);
}

template <class T>
std::vector<std::vector<double>> expand(const Kernel& kernel, const Frame& frame, const Matrix& X,
                                        const std::vector<Expansion>& expansions, int threads, Stop* stop) {
  const Kernel scaled = kernel.in(frame);
  const Layout layout = layout_for(X);
  return side_by_side(expansions, threads, stop, [&](const Expansion& one, std::vector<double>& values, Stop& heard) {
    const auto& [targets, sources, coef] = one;
    std::vector<double> part(targets.size());
    const auto at_once = static_cast<std::size_t>(centres_at_once(cols_of(X)));
    for (std::size_t first = 0; first < sources.size(); first += at_once) {
      const std::size_t last = std::min(sources.size(), first + at_once);
      const std::vector<Index> some(sources.begin() + static_cast<Index>(first),
                                    sources.begin() + static_cast<Index>(last));
      const Points<T> centres(X, &some, frame, layout);
      const std::vector<Segment> whole{{0, 0, centres.size(), coef.data() + first}};
      evaluate(scaled, frame, centres, whole, 1, X, &targets, part.data(), threads, &heard);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += part[i];
    }
  });
}

template <class T>
void add_products(const Prepared<T>& data, std::span<const Index> targets, std::span<const Index> sources,
                  std::span<const double> coef, double* out, int threads, Stop* stop) {
  const auto n = static_cast<Index>(targets.size());
  const auto at_once = static_cast<std::size_t>(centres_at_once(data.points.cols()));
  for (std::size_t first = 0; first < sources.size(); first += at_once) {
    const std::size_t count = std::min(sources.size() - first, at_once);
    const Points<T> centres = data.points.gather(sources.subspan(first, count), data.centres);
    const Buffer<T> weights = padded<T>(coef.subspan(first, count));
    parallel_for(
        chunks_of(n, queries_a_chunk), threads,
        [&](Index chunk) {
          const Index from = chunk * queries_a_chunk, to = std::min(n, from + queries_a_chunk);
          const Points<T> queries =
              data.points.gather(targets.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)),
                                 data.points.layout());
          Tile<T> tile(data.kernel);
          add_sums(tile, queries, centres, weights.data(), out + from);
        },
        stop);
  }
}

template <class T>
std::vector<std::vector<double>> expand(const Prepared<T>& data, const std::vector<Expansion>& expansions, int threads,
                                        Stop* stop) {
  return side_by_side(expansions, threads, stop, [&](const Expansion& one, std::vector<double>& values, Stop& heard) {
    add_products<T>(data, one.targets, one.sources, one.coef, values.data(), threads, &heard);
  });
}

template <class T>
void kernel_matrix(const Kernel& kernel, const Frame& frame, const Matrix& X, const Points<T>& P, T* out, int threads,
                   Stop* stop) {
  const Index n = rows_of(X), m = P.size();
  parallel_for(
      chunks_of(n, queries_a_chunk), threads,
      [&](Index chunk) {
        const Index first = chunk * queries_a_chunk, last = std::min(n, first + queries_a_chunk);
        const auto queries = Points<T>::range(X, first, last, frame, query_layout(P.layout()));
        Tile<T> tile(kernel);
        for (Index a0 = 0; a0 < queries.size(); a0 += Tile<T>::max_queries) {
          const Index na = std::min(Tile<T>::max_queries, queries.size() - a0);
          for (Index b0 = 0; b0 < m; b0 += Tile<T>::max_centres) {
            const Index nb = std::min(Tile<T>::max_centres, m - b0);
            tile.write(queries, a0, na, P, b0, nb, out + (first + a0) * m + b0, m);
          }
        }
      },
      stop);
}

template <class T>
void kernel_block(const Prepared<T>& data, std::span<const Index> rows, std::span<const Index> columns, T* out,
                  Index ld, int threads, Stop* stop) {
  const Points<T> centres = data.points.gather(columns, data.centres);
  const auto n = static_cast<Index>(rows.size());
  constexpr Index height = Tile<T>::max_queries;
  parallel_for(
      chunks_of(n, height), threads,
      [&](Index chunk) {
        const Index first = chunk * height, count = std::min(height, n - first);
        const Points<T> queries = data.points.gather(
            rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), data.points.layout());
        Tile<T> tile(data.kernel);
        for (Index b0 = 0; b0 < centres.size(); b0 += Tile<T>::max_centres) {
          const Index nb = std::min(Tile<T>::max_centres, centres.size() - b0);
          tile.write(queries, 0, count, centres, b0, nb, out + first * ld + b0, ld);
        }
      },
      stop);
}

template <class T>
void symmetric_block(const Prepared<T>& data, std::span<const Index> rows, T* out, Index ld, int threads, Stop* stop) {
  const Index q = static_cast<Index>(rows.size());
  const Points<T> queries = data.points.gather(rows, data.points.layout());
  const Points<T> panels = data.centres == Layout::panels ? data.points.gather(rows, Layout::panels) : Points<T>();
  const Points<T>& centres = data.centres == Layout::panels ? panels : queries;
  constexpr Index height = Tile<T>::max_queries;
  static_assert(height % lanes<T> == 0, "tiles begin on whole panels");
  parallel_for(
      chunks_of(q, height), threads,
      [&](Index chunk) {
        Tile<T> tile(data.kernel);
        const Index a0 = chunk * height, na = std::min(height, q - a0);
        // What lies left of the square on the diagonal belongs to earlier chunks, and what lies below it comes from
        // its right.
        for (Index b0 = a0; b0 < q; b0 += Tile<T>::max_centres) {
          const Index nb = std::min(Tile<T>::max_centres, q - b0);
          T* tile_out = out + a0 * ld + b0;
          tile.write(queries, a0, na, centres, b0, nb, tile_out, ld);
          const Index square = std::max<Index>(0, a0 + na - b0);
          if (square < nb)
            ops<T>().transpose(tile_out + square, ld, na, nb - square, out + (b0 + square) * ld + a0, ld);
        }
        // A sum over sparse rows may round otherwise with query and centre exchanged.
        if (centres.layout() == Layout::sparse)
          for (Index b = a0; b < a0 + na; ++b)
            for (Index a = a0; a < b; ++a) out[b * ld + a] = out[a * ld + b];
      },
      stop);
  for (Index i = 0; i < q; ++i)
    out[i * ld + i] = static_cast<T>(data.kernel.self_value(static_cast<double>(queries.squared_norms()[i])));
}

#define MERCER_INSTANTIATE(T)                                                                                         \
  template void evaluate<T>(const Kernel&, const Frame&, const Points<T>&, const std::vector<Segment>&, Index,        \
                            const Matrix&, const std::vector<Index>*, double*, int, Stop*);                           \
  template std::vector<std::vector<double>> expand<T>(const Kernel&, const Frame&, const Matrix&,                     \
                                                      const std::vector<Expansion>&, int, Stop*);                     \
  template std::vector<std::vector<double>> expand<T>(const Prepared<T>&, const std::vector<Expansion>&, int, Stop*); \
  template void add_products<T>(const Prepared<T>&, std::span<const Index>, std::span<const Index>,                   \
                                std::span<const double>, double*, int, Stop*);                                        \
  template void kernel_matrix<T>(const Kernel&, const Frame&, const Matrix&, const Points<T>&, T*, int, Stop*);       \
  template void kernel_block<T>(const Prepared<T>&, std::span<const Index>, std::span<const Index>, T*, Index, int,   \
                                Stop*);                                                                               \
  template void symmetric_block<T>(const Prepared<T>&, std::span<const Index>, T*, Index, int, Stop*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
