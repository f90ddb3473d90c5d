#include "mercer/tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

using Kind = Instruction::Kind;

// The loops of a leaf for these rows: where some are far out, or small distances must be right, squared distances are
// summed feature by feature.
template <class T>
const LeafLoops<T>& loops_for(const Leaf& leaf, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0,
                              Index nb) {
  const bool by_differences = leaf.form().sum == FeatureSum::squared_distance && P.layout() != Layout::sparse &&
                              (leaf.form().is_steep || Q.far(leaf.gamma(), a0, na) || P.far(leaf.gamma(), b0, nb));
  return (by_differences ? ops<T>().leaves_by_differences : ops<T>().leaves)[leaf.number()];
}

template <class T>
LeafNumbers<T> numbers_of(const Leaf& leaf, Index features) {
  // Rounding of a dot product of d terms. In float32 rows have distance zero from themselves, and no other matters.
  const T rounding =
      sizeof(T) == 4 ? T(0) : (T(4) + std::sqrt(static_cast<T>(features))) * std::numeric_limits<T>::epsilon();
  return {leaf.parameters(), rounding};
}

template <class T>
void multiply(double factor, Index rows, Index cols, T* out, Index ld) {
  if (factor == 1) return;
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < cols; ++b) out[a * ld + b] *= static_cast<T>(factor);
}

}  // namespace

template <class T>
Tile<T>::Tile(const Kernel& kernel) : kernel_(kernel) {}

// Made when first asked for: sums of one leaf need none.
template <class T>
T* Tile<T>::buffer(int level) {
  if (buffers_.size() == 0) buffers_ = Buffer<T>(kernel_.depth() * max_queries * max_centres);
  return buffers_.data() + level * max_queries * max_centres;
}

template <class T>
void Tile<T>::compute(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb) {
  int height = 0;
  for (const Instruction& step : kernel_.program()) {
    if (step.kind == Kind::leaf) {
      leaf(step, Q, a0, na, P, b0, nb, buffer(height++), max_centres);
      continue;
    }
    if (step.kind == Kind::constant) {
      T* out = buffer(height++);
      for (Index a = 0; a < na; ++a) std::fill_n(out + a * max_centres, nb, static_cast<T>(step.constant));
      continue;
    }
    --height;
    T* left = buffer(height - 1);
    const T* right = buffer(height);
    for (Index a = 0; a < na; ++a)
      for (Index at = a * max_centres; at < a * max_centres + nb; ++at)
        left[at] = step.kind == Kind::add ? left[at] + right[at] : left[at] * right[at];
  }
}

// Kernels of one leaf and whole panels go straight there; the rest stops over in a buffer, which has room for a panel.
template <class T>
void Tile<T>::write(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, T* out, Index ld) {
  const Index straight = one_leaf() ? nb / lanes<T> * lanes<T> : 0;
  if (straight > 0) leaf(kernel_.program().front(), Q, a0, na, P, b0, straight, out, ld);
  if (straight == nb) return;
  compute(Q, a0, na, P, b0 + straight, nb - straight);
  for (Index a = 0; a < na; ++a) std::copy_n(row(a), nb - straight, out + a * ld + straight);
}

template <class T>
bool Tile<T>::one_leaf() const {
  return kernel_.program().size() == 1 && kernel_.program().front().kind == Kind::leaf;
}

template <class T>
void Tile<T>::add_sums(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, const T* coef,
                       double* out) {
  if (!one_leaf()) {
    compute(Q, a0, na, P, b0, nb);
    for (Index a = 0; a < na; ++a) out[a] += ops<T>().weighted_sum(row(a), coef, nb);
    return;
  }
  const Leaf& only = kernel_.program().front().leaf;
  const LeafLoops<T>& loops = loops_for(only, Q, a0, na, P, b0, nb);
  const LeafNumbers<T> numbers = numbers_of<T>(only, P.cols());
  if (P.layout() == Layout::panels) {
    double unscaled[max_queries] = {};
    loops.sums(panels(Q, a0, na, P, b0, nb), numbers, coef, unscaled);
    for (Index a = 0; a < na; ++a) out[a] += only.factor() * unscaled[a];
    return;
  }
  for_each_table(Q, a0, na, P, b0, nb, only.form().sum == FeatureSum::manhattan,
                 [&](Index first, Index count, const SparseBlock<T>& block) {
                   double sums[table_lanes<T>] = {};
                   loops.sparse_sums(block, numbers, coef, sums);
                   for (Index q = 0; q < count; ++q) out[first + q] += only.factor() * sums[q];
                 });
}

template <class T>
void Tile<T>::leaf(const Instruction& step, const Points<T>& all_Q, Index a0, Index na, const Points<T>& all_P,
                   Index b0, Index nb, T* out, Index ld) {
  const Leaf& leaf = step.leaf;
  const Points<T>&Q = all_Q.part(step.frame), &P = all_P.part(step.frame);
  const LeafLoops<T>& loops = loops_for(leaf, Q, a0, na, P, b0, nb);
  const LeafNumbers<T> numbers = numbers_of<T>(leaf, P.cols());
  if (P.layout() == Layout::panels) {
    loops.values(panels(Q, a0, na, P, b0, nb), numbers, out, ld);
    multiply(leaf.factor(), na, nb, out, ld);
    return;
  }
  std::vector<T> values(static_cast<std::size_t>(nb * table_lanes<T>));
  for_each_table(Q, a0, na, P, b0, nb, leaf.form().sum == FeatureSum::manhattan,
                 [&](Index first, Index count, const SparseBlock<T>& block) {
                   loops.sparse_values(block, numbers, values.data());
                   ops<T>().transpose(values.data(), table_lanes<T>, nb, count, out + first * ld, ld);
                 });
  multiply(leaf.factor(), na, nb, out, ld);
}

template <class T>
PanelBlock<T> Tile<T>::panels(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb) const {
  return {.A = Q.row(a0),
          .A_norms = Q.squared_norms() + a0,
          .na = na,
          .stride = Q.cols(),
          .B = P.panel(b0 / lanes<T>),
          .B_norms = P.squared_norms() + b0,
          .panels = (nb + lanes<T> - 1) / lanes<T>,
          .d = P.cols()};
}

template <class T>
template <class Use>
void Tile<T>::for_each_table(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
                             bool manhattan, Use use) {
  if (slots_.empty()) slots_.assign(static_cast<std::size_t>(P.cols()), 0);
  for (Index first = 0; first < na; first += table_lanes<T>) {
    const Index count = std::min(table_lanes<T>, na - first);
    T offset[table_lanes<T>] = {}, norms[table_lanes<T>] = {};
    table_.assign(static_cast<std::size_t>(table_lanes<T>), T(0));
    for (Index lane = 0; lane < count; ++lane) {
      const Index q = a0 + first + lane;
      norms[lane] = Q.squared_norms()[q];
      if (manhattan) offset[lane] = Q.manhattan_norm(q);
      for (Index e = Q.begin(q); e < Q.begin(q + 1); ++e) {
        std::int32_t& slot = slots_[static_cast<std::size_t>(Q.columns()[e])];
        if (slot == 0) {
          slot = static_cast<std::int32_t>(table_.size() / static_cast<std::size_t>(table_lanes<T>));
          table_.resize(table_.size() + static_cast<std::size_t>(table_lanes<T>), T(0));
        }
        table_[static_cast<std::size_t>(slot * table_lanes<T> + lane)] += Q.values()[e];
      }
    }
    use(first, count,
        SparseBlock<T>{.table = table_.data(),
                       .slots = slots_.data(),
                       .offset = offset,
                       .query_norms = norms,
                       .begin = P.begins() + b0,
                       .columns = P.columns(),
                       .values = P.values(),
                       .norms = P.squared_norms() + b0,
                       .nb = nb});
    for (Index q = a0 + first; q < a0 + first + count; ++q)
      for (Index e = Q.begin(q); e < Q.begin(q + 1); ++e) slots_[static_cast<std::size_t>(Q.columns()[e])] = 0;
  }
}

template class Tile<float>;
template class Tile<double>;

}  // namespace mercer
