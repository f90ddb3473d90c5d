#include "mercer/tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/blas.hpp"

namespace mercer {
namespace {

using Kind = Instruction::Kind;

struct Shape {
  Index queries;
  Index centres;
};

// A tile stays in the second-level cache; BLAS wants a larger one to pay for its packing.
constexpr Shape shape_for(Layout centres) { return centres == Layout::rows ? Shape{128, 512} : Shape{48, 256}; }

// BLAS knows no differences. Wide data with rows far out are rare, and right comes before fast.
template <class T>
void row_differences(const T* A, Index na, const T* B, Index nb, Index d, T* out, Index ld) {
  for (Index a = 0; a < na; ++a)
    for (Index b = 0; b < nb; ++b) {
      T sum = 0;
      for (Index k = 0; k < d; ++k) sum += (A[a * d + k] - B[b * d + k]) * (A[a * d + k] - B[b * d + k]);
      out[a * ld + b] = sum;
    }
}

template <class T>
Measure measure_for(Family family, const Points<T>& Q, const Points<T>& P) {
  if (family == Family::laplacian) return Measure::manhattan;
  const bool apart = family == Family::rbf && (Q.far() || P.far());
  return apart && P.layout() != Layout::sparse ? Measure::differences : Measure::dots;
}

}  // namespace

template <class T>
Tile<T>::Tile(const Kernel& kernel, Layout centres)
    : kernel_(kernel),
      max_queries_(shape_for(centres).queries),
      max_centres_(shape_for(centres).centres),
      buffers_(kernel.depth() * max_queries_ * max_centres_) {}

template <class T>
void Tile<T>::compute(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb) {
  int height = 0;
  for (const Instruction& step : kernel_.program()) {
    if (step.kind == Kind::leaf) {
      leaf(step.leaf, Q, a0, na, P, b0, nb, buffer(height++));
      continue;
    }
    --height;
    T* left = buffer(height - 1);
    const T* right = buffer(height);
    for (Index a = 0; a < na; ++a)
      for (Index at = a * max_centres_; at < a * max_centres_ + nb; ++at)
        left[at] = step.kind == Kind::add ? left[at] + right[at] : left[at] * right[at];
  }
}

template <class T>
void Tile<T>::leaf(const Leaf& leaf, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
                   T* out) {
  const Ops<T>& op = ops<T>();
  const T gamma = static_cast<T>(leaf.gamma), coef0 = static_cast<T>(leaf.coef0);
  if (leaf.family == Family::constant) {
    for (Index a = 0; a < na; ++a) std::fill_n(out + a * max_centres_, nb, coef0);
    return;
  }
  const Measure measure = measure_for(leaf.family, Q, P);
  primitive(measure, Q, a0, na, P, b0, nb, out);
  // Rounding of a dot product of d terms; float32 blocks get their diagonal elsewhere.
  const T rounding =
      sizeof(T) == 4 ? T(0) : (T(4) + std::sqrt(static_cast<T>(P.cols()))) * std::numeric_limits<T>::epsilon();
  for (Index a = 0; a < na; ++a) {
    T* v = out + a * max_centres_;
    switch (leaf.family) {
      case Family::rbf:
        if (measure == Measure::differences)
          op.map_exponential(v, nb, gamma);
        else
          op.map_rbf(v, nb, Q.squared_norms()[a0 + a], P.squared_norms() + b0, gamma, rounding);
        break;
      case Family::laplacian: op.map_exponential(v, nb, gamma); break;
      case Family::polynomial: op.map_polynomial(v, nb, gamma, coef0, leaf.degree); break;
      case Family::sigmoid: op.map_sigmoid(v, nb, gamma, coef0); break;
      case Family::linear:
      case Family::constant: break;
    }
  }
}

template <class T>
void Tile<T>::primitive(Measure measure, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
                        T* out) {
  switch (P.layout()) {
    case Layout::rows:
      if (measure == Measure::differences)
        row_differences(Q.row(a0), na, P.row(b0), nb, P.cols(), out, max_centres_);
      else
        row_products(Q.row(a0), na, P.row(b0), nb, P.cols(), out, max_centres_);
      break;
    case Layout::panels: {
      const Ops<T>& op = ops<T>();
      const auto loop = measure == Measure::manhattan ? op.manhattan
                        : measure == Measure::dots    ? op.dots
                                                      : op.differences;
      loop(Q.row(a0), na, P.cols(), P.panel(b0 / lanes<T>), (nb + lanes<T> - 1) / lanes<T>, out, max_centres_);
      break;
    }
    case Layout::sparse: sparse_primitive(measure == Measure::manhattan, Q, a0, na, P, b0, nb, out); break;
  }
}

// Up to `lanes` queries are spread over a table with a row for each column they use; each centre then adds its entries
// to all of them at once.
template <class T>
void Tile<T>::sparse_primitive(bool manhattan, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0,
                               Index nb, T* out) {
  if (slots_.empty()) slots_.assign(static_cast<std::size_t>(P.cols()), 0);
  const auto loop = manhattan ? ops<T>().sparse_manhattan : ops<T>().sparse_dots;
  for (Index group = 0; group < na; group += lanes<T>) {
    const Index count = std::min(lanes<T>, na - group);
    table_.assign(static_cast<std::size_t>(lanes<T>), T(0));
    T offset[lanes<T>] = {};
    for (Index lane = 0; lane < count; ++lane) {
      const Index q = a0 + group + lane;
      if (manhattan) offset[lane] = Q.manhattan_norm(q);
      for (Index e = Q.begin(q); e < Q.begin(q + 1); ++e) {
        std::int32_t& slot = slots_[static_cast<std::size_t>(Q.columns()[e])];
        if (slot == 0) {
          slot = static_cast<std::int32_t>(table_.size() / static_cast<std::size_t>(lanes<T>));
          table_.resize(table_.size() + static_cast<std::size_t>(lanes<T>), T(0));
        }
        table_[static_cast<std::size_t>(slot * lanes<T> + lane)] += Q.values()[e];
      }
    }
    for (Index b = 0; b < nb; ++b) {
      T acc[lanes<T>];
      const Index from = P.begin(b0 + b);
      loop(table_.data(), slots_.data(), P.columns() + from, P.values() + from, P.begin(b0 + b + 1) - from, acc);
      for (Index lane = 0; lane < count; ++lane) out[(group + lane) * max_centres_ + b] = acc[lane] + offset[lane];
    }
    for (Index lane = 0; lane < count; ++lane)
      for (Index e = Q.begin(a0 + group + lane); e < Q.begin(a0 + group + lane + 1); ++e)
        slots_[static_cast<std::size_t>(Q.columns()[e])] = 0;
  }
}

template class Tile<float>;
template class Tile<double>;

}  // namespace mercer
