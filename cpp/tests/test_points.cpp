// Rows made ready: every source and layout holds the same numbers, padding is zero, what does not fit T is told.
#include <functional>
#include <stdexcept>

#include "check.hpp"
#include "mercer/points.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double eps_float = std::numeric_limits<float>::epsilon();

// Row i as doubles, whatever the layout.
template <class T>
std::vector<double> row_of(const Points<T>& points, Index i) {
  std::vector<double> row(at(points.cols()), 0.0);
  if (points.layout() == Layout::sparse) {
    for (Index e = points.begin(i); e < points.begin(i + 1); ++e) row[at(points.columns()[e])] += points.values()[e];
    return row;
  }
  for (Index k = 0; k < points.cols(); ++k)
    row[at(k)] =
        points.layout() == Layout::rows ? points.row(i)[k] : points.panel(i / lanes<T>)[k * lanes<T> + i % lanes<T>];
  return row;
}

template <class T>
void check_rows(const Points<T>& points, const Table& expected, double tol = 0) {
  CHECK(points.size() == expected.rows && points.cols() == expected.cols);
  for (Index i = 0; i < expected.rows; ++i) {
    const std::vector<double> row = row_of(points, i);
    double squared = 0;
    for (Index k = 0; k < expected.cols; ++k) {
      CHECK_NEAR(row[at(k)], expected.row(i)[at(k)], tol);
      squared += row[at(k)] * row[at(k)];
    }
    CHECK_NEAR(static_cast<double>(points.squared_norms()[i]), squared, squared * std::numeric_limits<T>::epsilon());
  }
}

Table selected(const Table& table, const std::vector<Index>& rows) {
  Table part{static_cast<Index>(rows.size()), table.cols, {}};
  for (const Index i : rows) part.values.insert(part.values.end(), table.row(i).begin(), table.row(i).end());
  return part;
}

// Row 3 is empty.
Table mixed_table() {
  Table table = random_table(21, 5, 20, 0.5);
  std::ranges::fill(table.row(3), 0.0);
  return table;
}

template <class T>
Table one_row(std::vector<T> values) {
  return {1, static_cast<Index>(values.size()), {values.begin(), values.end()}};
}

template <class T, class Data>
void check_all_layouts(const Table& table) {
  const Data data(table);
  const std::vector<Index> rows{20, 3, 3, 0, 17};
  for (const Layout layout : {Layout::rows, Layout::panels, Layout::sparse}) {
    if (layout == Layout::sparse && std::is_same_v<Data, DenseData<T>>) continue;
    check_rows(Points<T>(data, nullptr, {}, layout), table);
    check_rows(Points<T>(data, &rows, {}, layout), selected(table, rows));
    check_rows(Points<T>::range(data, 2, 7, {}, layout), selected(table, {2, 3, 4, 5, 6}));
  }
}

}  // namespace

TEST(points_hold_the_rows_of_every_source_in_every_layout) {
  const Table table = mixed_table();
  check_all_layouts<float, DenseData<float>>(table);
  check_all_layouts<double, DenseData<double>>(table);
  check_all_layouts<float, CsrData<float, std::int32_t>>(table);
  check_all_layouts<float, CsrData<double, std::int64_t>>(table);
  check_all_layouts<double, CsrData<float, std::int64_t>>(table);
  check_all_layouts<double, CsrData<double, std::int32_t>>(table);
}

TEST(points_of_sparse_rows_drop_stored_zeros) {
  const Table table = mixed_table();
  const CsrData<double, std::int32_t> data(table);
  const Points<double> points(data, nullptr, {}, Layout::sparse);
  const auto present = std::ranges::count_if(table.values, [](double x) { return x != 0; });
  CHECK(static_cast<std::ptrdiff_t>(data.values.size()) > present);
  CHECK(points.begin(points.size()) == present);
  CHECK(points.begin(3) == points.begin(4));
  for (Index i = 0; i < table.rows; ++i) {
    double norm = 0;
    for (const double x : table.row(i)) norm += std::abs(x);
    CHECK_NEAR(points.manhattan_norm(i), norm, 1e-15);
  }
}

TEST(points_are_shifted_and_scaled_by_their_frame) {
  const Table table = mixed_table();
  Frame frame{{1, -2, 0.5, 0, 3}, 0.25, {}, {}};
  Table expected = table;
  for (Index i = 0; i < table.rows; ++i)
    for (std::size_t k = 0; k < 5; ++k) expected.row(i)[k] = (table.row(i)[k] - frame.shift[k]) * frame.scale;
  const DenseData<float> data(table);
  for (const Layout layout : {Layout::rows, Layout::panels}) {
    check_rows(Points<double>(data, nullptr, frame, layout), expected, 1e-15);
    check_rows(Points<float>(data, nullptr, frame, layout), expected, eps_float);
  }
  const CsrData<float, std::int32_t> sparse(table);
  CHECK_THROWS(std::logic_error, Points<float>(sparse, nullptr, frame, Layout::sparse));
  frame.shift.clear();
  for (std::size_t k = 0; k < expected.values.size(); ++k) expected.values[k] = 0.25 * table.values[k];
  check_rows(Points<float>(sparse, nullptr, frame, Layout::sparse), expected);
}

TEST(points_are_gathered_between_layouts) {
  const Table table = mixed_table();
  const std::vector<Index> rows{18, 3, 1, 1, 20, 0, 7, 9, 2};
  const DenseData<float> data(table);
  for (const Layout from : {Layout::rows, Layout::panels})
    for (const Layout to : {Layout::rows, Layout::panels})
      check_rows(Points<float>(data, nullptr, {}, from).gather(rows, to), selected(table, rows));
  const CsrData<double, std::int64_t> sparse(table);
  check_rows(Points<double>(sparse, nullptr, {}, Layout::sparse).gather(rows, Layout::sparse), selected(table, rows));
  CHECK(Points<float>(data, nullptr, {}, Layout::panels).gather({}, Layout::rows).size() == 0);
}

TEST(points_pad_the_last_panel_with_zeros) {
  for (Index n = 1; n <= 2 * lanes<float>; ++n) {
    const DenseData<double> data(random_table(n, 3, 21));
    const Points<float> read(data, nullptr, {}, Layout::panels);
    const std::vector<Index> all = count_up_to(n);
    const Points<float> gathered = read.gather(all, Layout::panels);
    for (const Points<float>* points : {&read, &gathered})
      for (Index i = n; i % lanes<float> != 0; ++i) {
        for (const double x : row_of(*points, i)) CHECK(x == 0);
        CHECK(points->squared_norms()[i] == 0);
      }
  }
}

TEST(points_know_the_largest_norm) {
  const Table table = mixed_table();
  const DenseData<double> data(table);
  for (const Layout layout : {Layout::panels, Layout::rows})
    CHECK_NEAR(Points<double>(data, nullptr, {}, layout).largest_squared_norm(), largest_squared_norm(table), 1e-14);
}

TEST(points_tell_that_a_row_is_far_out) {
  const auto is_far = [](auto type, double x) {
    using T = decltype(type);
    const DenseData<double> data(Table{2, 2, {1, 1, x, 1}});
    const Points<T> points(data, nullptr, {}, Layout::panels);
    const std::vector<Index> rows{1};
    CHECK(!points.far(1, 0, 1));
    CHECK(points.gather(rows, Layout::rows).far(1, 0, 1) == points.far(1, 1, 1));
    CHECK(points.far(1e-300, 0, points.size()) == points.far(1e-300, 1, 1));
    return points.far(1, 0, points.size());
  };
  CHECK(!is_far(float{}, 2) && !is_far(double{}, 2));
  CHECK(is_far(float{}, 20) && !is_far(double{}, 20));
  CHECK(is_far(float{}, 1e20) && is_far(double{}, 1e20));
  CHECK(is_far(double{}, 1e200));
}

TEST(points_are_far_relative_to_gamma) {
  const DenseData<double> data(Table{1, 1, {20}});
  const Points<float> points(data, nullptr, {}, Layout::rows);
  CHECK(points.far(1, 0, 1) && !points.far(0.5, 0, 1) && points.far(100, 0, 1));
}

TEST(points_stand_in_every_part_of_their_frame) {
  const Table table = mixed_table();
  Frame frame{{}, 1, {}, {}};
  frame.others.push_back({{}, 0.5, {1, 0, 2, 4, 1}, {}});
  Table expected = table;
  for (Index i = 0; i < table.rows; ++i)
    for (std::size_t k = 0; k < 5; ++k) expected.row(i)[k] = 0.5 * frame.others[0].feature_scales[k] * table.row(i)[k];
  const std::vector<Index> rows{3, 1, 20};
  const auto check_both = [&](const Points<double>& points) {
    check_rows(points.part(0), table);
    check_rows(points.part(1), expected);
    const Points<double> some = points.gather(rows, points.layout());
    check_rows(some.part(0), selected(table, rows));
    check_rows(some.part(1), selected(expected, rows));
  };
  for (const Layout layout : {Layout::rows, Layout::panels})
    check_both(Points<double>(DenseData<double>(table), nullptr, frame, layout));
  check_both(Points<double>(CsrData<double, std::int32_t>(table), nullptr, frame, Layout::sparse));
  const auto range = Points<double>::range(DenseData<double>(table), 2, 5, frame, Layout::rows);
  check_rows(range.part(1), selected(expected, {2, 3, 4}));
}

TEST(points_refuse_values_that_do_not_fit) {
  const DenseData<double> wide(one_row<double>({1e39, 1}));
  CHECK_THROWS(std::overflow_error, Points<float>(wide, nullptr, {}, Layout::rows));
  check_rows(Points<double>(wide, nullptr, {}, Layout::rows), one_row<double>({1e39, 1}));
  const CsrData<double, std::int32_t> sparse_wide(one_row<double>({1e39, 0})), sparse_far(one_row<double>({1e20, 0}));
  CHECK_THROWS(std::overflow_error, Points<float>(sparse_wide, nullptr, {}, Layout::sparse));
  CHECK_THROWS(std::overflow_error, Points<float>(sparse_far, nullptr, {}, Layout::sparse));
  check_rows(Points<double>(sparse_far, nullptr, {}, Layout::sparse), one_row<double>({1e20, 0}));
}

TEST(layout_follows_the_data) {
  CHECK(layout_for(DenseData<float>(random_table(2, 3, 22))) == Layout::panels);
  CHECK(layout_for(DenseData<double>(random_table(2, 3000, 23))) == Layout::panels);
  CHECK(layout_for(CsrData<float, std::int32_t>(random_table(2, 300, 24, 0.1))) == Layout::sparse);
  CHECK(query_layout(Layout::panels) == Layout::rows && query_layout(Layout::sparse) == Layout::sparse);
}
