#include "mercer/reduce.hpp"

#include <algorithm>

namespace mercer {
namespace {

// Threads take this many queries at a time: enough to pay for preparing them, few enough to poll often.
constexpr Index queries_a_chunk = 96;

// Centres of a float64 sum are prepared this many values at a time, 8 MB, whatever the number of support vectors.
constexpr Index centre_values_at_once = 1'000'000;

Index chunks_of(Index total, Index size) { return (total + size - 1) / size; }

}  // namespace

template <class T>
void evaluate(const Kernel& kernel, const Frame& frame, const Points<T>& centres, const std::vector<Segment>& segments,
              Index outputs, const Matrix& X, const std::vector<Index>* rows, double* out, int threads, Stop* stop) {
  const Index n = rows ? static_cast<Index>(rows->size()) : rows_of(X);
  std::fill_n(out, n * outputs, 0.0);
  const Layout layout = query_layout(centres.layout());
  parallel_for(
      chunks_of(n, queries_a_chunk), threads,
      [&](Index chunk) {
        const Index first = chunk * queries_a_chunk, last = std::min(n, first + queries_a_chunk);
        std::vector<Index> chosen;
        if (rows) chosen.assign(rows->begin() + first, rows->begin() + last);
        const Points<T> queries =
            rows ? Points<T>(X, &chosen, frame, layout) : Points<T>::range(X, first, last, frame, layout);
        Tile<T> tile(kernel, centres.layout());
        for (Index b0 = 0; b0 < centres.size(); b0 += tile.max_centres()) {
          const Index b1 = std::min(centres.size(), b0 + tile.max_centres());
          for (Index a0 = 0; a0 < queries.size(); a0 += tile.max_queries()) {
            const Index na = std::min(tile.max_queries(), queries.size() - a0);
            tile.compute(queries, a0, na, centres, b0, b1 - b0);
            for (const Segment& part : segments) {
              const Index from = std::max(part.first, b0), to = std::min(part.last, b1);
              if (from >= to) continue;
              for (Index a = 0; a < na; ++a)
                out[(first + a0 + a) * outputs + part.output] +=
                    ops<T>().weighted_sum(tile.row(a) + (from - b0), part.coef + (from - part.first), to - from);
            }
          }
        }
      },
      stop);
}

std::vector<std::vector<double>> expand(const Kernel& kernel, const Matrix& X, const std::vector<RowCoefficients>& sets,
                                        int threads, Stop* stop) {
  const Frame frame = frame_for(kernel, X);
  const Kernel scaled = kernel.rescaled(frame.scale);
  const Layout layout = layout_for(kernel, X);
  std::vector<std::vector<double>> out(sets.size());
  parallel_for(
      static_cast<Index>(sets.size()), threads,
      [&](Index number) {
        const auto& [rows, coef] = sets[static_cast<std::size_t>(number)];
        std::vector<Index> support;
        std::vector<double> weights;
        for (std::size_t j = 0; j < rows.size(); ++j)
          if (coef[j] != 0) {
            support.push_back(rows[j]);
            weights.push_back(coef[j]);
          }
        auto& values = out[static_cast<std::size_t>(number)];
        values.assign(rows.size(), 0.0);
        std::vector<double> part(rows.size());
        const auto at_once = static_cast<std::size_t>(std::max<Index>(256, centre_values_at_once / cols_of(X)));
        for (std::size_t first = 0; first < support.size(); first += at_once) {
          const std::size_t last = std::min(support.size(), first + at_once);
          const std::vector<Index> some(support.begin() + static_cast<Index>(first),
                                        support.begin() + static_cast<Index>(last));
          const Points<double> centres(X, &some, frame, layout);
          const std::vector<Segment> whole{{0, 0, centres.size(), weights.data() + first}};
          evaluate(scaled, frame, centres, whole, 1, X, &rows, part.data(), threads, sets.size() == 1 ? stop : nullptr);
          for (std::size_t i = 0; i < values.size(); ++i) values[i] += part[i];
        }
      },
      stop);
  return out;
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
        Tile<T> tile(kernel, P.layout());
        for (Index a0 = 0; a0 < queries.size(); a0 += tile.max_queries()) {
          const Index na = std::min(tile.max_queries(), queries.size() - a0);
          for (Index b0 = 0; b0 < m; b0 += tile.max_centres()) {
            const Index nb = std::min(tile.max_centres(), m - b0);
            tile.compute(queries, a0, na, P, b0, nb);
            for (Index a = 0; a < na; ++a) std::copy_n(tile.row(a), nb, out + (first + a0 + a) * m + b0);
          }
        }
      },
      stop);
}

template <class T>
void symmetric_block(const Kernel& kernel, const Points<T>& P, std::span<const Index> rows, T* out, int threads,
                     Stop* stop) {
  const Index q = static_cast<Index>(rows.size());
  const Points<T> centres = P.gather(rows, P.layout());
  const Points<T> queries = P.layout() == Layout::panels ? P.gather(rows, Layout::rows) : Points<T>();
  const Points<T>& left = P.layout() == Layout::panels ? queries : centres;
  const Index height = Tile<T>(kernel, P.layout()).max_queries();
  parallel_for(
      chunks_of(q, height), threads,
      [&](Index chunk) {
        Tile<T> tile(kernel, P.layout());
        const Index a0 = chunk * height, na = std::min(height, q - a0);
        // Tiles begin on whole panels; what lies below the diagonal belongs to earlier chunks.
        for (Index b0 = a0 / lanes<T> * lanes<T>; b0 < q; b0 += tile.max_centres()) {
          const Index nb = std::min(tile.max_centres(), q - b0);
          tile.compute(left, a0, na, centres, b0, nb);
          for (Index a = 0; a < na; ++a) {
            const Index b = std::max<Index>(0, a0 + a - b0);
            if (b < nb) std::copy_n(tile.row(a) + b, nb - b, out + (a0 + a) * q + b0 + b);
          }
          for (Index b = std::max<Index>(0, a0 - b0); b < nb; ++b)
            for (Index a = 0; a < std::min(na, b0 + b - a0); ++a) out[(b0 + b) * q + a0 + a] = tile.row(a)[b];
        }
      },
      stop);
  for (Index i = 0; i < q; ++i)
    out[i * q + i] = static_cast<T>(kernel.self_value(static_cast<double>(centres.squared_norms()[i])));
}

#define MERCER_INSTANTIATE(T)                                                                                   \
  template void evaluate<T>(const Kernel&, const Frame&, const Points<T>&, const std::vector<Segment>&, Index,  \
                            const Matrix&, const std::vector<Index>*, double*, int, Stop*);                     \
  template void kernel_matrix<T>(const Kernel&, const Frame&, const Matrix&, const Points<T>&, T*, int, Stop*); \
  template void symmetric_block<T>(const Kernel&, const Points<T>&, std::span<const Index>, T*, int, Stop*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
