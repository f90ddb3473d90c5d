#include "columns.hpp"

#include <tuple>

#include "linear/rows/row.hpp"

namespace mercer {
namespace {

template <class T>
std::pair<std::shared_ptr<const void>, Matrix> subset(const Dense<T>& X, std::span<const Index> chosen) {
  const auto values = std::make_shared<std::vector<T>>(static_cast<std::size_t>(X.rows) * chosen.size());
  T* out = values->data();
  for (Index i = 0; i < X.rows; ++i) {
    const T* x = X.row(i);
    for (const Index j : chosen) *out++ = x[j];
  }
  return {values, Dense<T>{values->data(), X.rows, static_cast<Index>(chosen.size())}};
}

template <class T, class I>
struct OwnedCsr {
  std::vector<T> values;
  std::vector<I> indices, indptr{0};
};

template <class T, class I>
std::pair<std::shared_ptr<const void>, Matrix> subset(const Csr<T, I>& X, std::span<const Index> chosen) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(X.cols), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    place[static_cast<std::size_t>(chosen[k])] = static_cast<std::int32_t>(k);
  const auto own = std::make_shared<OwnedCsr<T, I>>();
  own->indptr.reserve(static_cast<std::size_t>(X.rows) + 1);
  for (Index i = 0; i < X.rows; ++i) {
    row_of(X, i).each([&](Index j, double x) {
      if (place[static_cast<std::size_t>(j)] < 0) return;
      own->values.push_back(static_cast<T>(x));
      own->indices.push_back(static_cast<I>(place[static_cast<std::size_t>(j)]));
    });
    own->indptr.push_back(static_cast<I>(own->values.size()));
  }
  return {own, Csr<T, I>{own->values.data(), own->indices.data(), own->indptr.data(), X.rows,
                         static_cast<Index>(chosen.size())}};
}

}  // namespace

ColumnSubset::ColumnSubset(const Matrix& X, std::span<const Index> chosen) : matrix_(X) {
  std::tie(owner_, matrix_) = std::visit([&](const auto& view) { return subset(view, chosen); }, X);
}

Columns::Columns(const Matrix& X, OffsetColumns offsets) {
  std::visit(
      [&](const auto& view) {
        const std::size_t cols = static_cast<std::size_t>(view.cols + offsets.count);
        begin.assign(cols + 1, 0);
        for (Index i = 0; i < view.rows; ++i)
          row_of(view, i).each([&](Index j, double x) { begin[static_cast<std::size_t>(j) + 1] += x != 0; });
        if (offsets.count > 0) begin[cols] = view.rows;
        for (std::size_t j = 0; j < cols; ++j) begin[j + 1] += begin[j];
        rows.resize(static_cast<std::size_t>(begin[cols]));
        values.resize(rows.size());
        std::vector<Index> next(begin.begin(), begin.end() - 1);
        const auto put = [&](Index i, Index j, double x) {
          const std::size_t e = static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++);
          rows[e] = static_cast<std::int32_t>(i);
          values[e] = x;
        };
        for (Index i = 0; i < view.rows; ++i) {
          row_of(view, i).each([&](Index j, double x) {
            if (x != 0) put(i, j, x);
          });
          if (offsets.count > 0) put(i, view.cols, offsets.value);
        }
      },
      X);
}

}  // namespace mercer
