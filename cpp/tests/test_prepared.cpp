// Data made ready for a kernel: in its frame and layout, and refused where a kernel value does not fit.
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "mercer/kernel_block.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(prepared_holds_every_row_in_the_frame_of_the_kernel) {
  const Table X = random_table(21, 3, 400);
  const DenseData<double> data(X);
  const Prepared<double> prepared(rbf(4), data);
  const Frame frame = frame_for(rbf(4), data);
  CHECK(prepared.frame.scale == 2 && prepared.frame.shift == frame.shift);
  CHECK(prepared.points.size() == 21 && prepared.points.cols() == 3);
  for (Index i = 0; i < 21; ++i)
    for (Index k = 0; k < 3; ++k)
      CHECK_NEAR(prepared.points.row(i)[k], (X.row(i)[at(k)] - frame.shift[at(k)]) * frame.scale, 1e-15);
  CHECK(prepared.unscaled.program().front().leaf.parameter("gamma") == 4);
  CHECK(prepared.kernel.program().front().leaf.parameter("gamma") == 1);
  CHECK(rows_of(prepared.X) == 21);
}

TEST(prepared_lays_queries_and_centres_out_for_the_tiles) {
  const DenseData<float> dense(random_table(5, 300, 401));
  const CsrData<double, std::int64_t> sparse(random_table(5, 300, 402, 0.1));
  const Prepared<float> of_dense(linear(), dense), of_sparse(linear(), sparse);
  CHECK(of_dense.centres == Layout::panels && of_dense.points.layout() == Layout::rows);
  CHECK(of_sparse.centres == Layout::sparse && of_sparse.points.layout() == Layout::sparse);
}

TEST(prepared_refuses_kernel_values_that_do_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e14, -1e14}});
  CHECK_THROWS(std::overflow_error, Prepared<float>(polynomial(1, 0, 3), far));
  CHECK_THROWS(std::overflow_error, Prepared<float>(product(linear(), linear()), far));
  Prepared<float>(linear(), far);
  Prepared<double>(polynomial(1, 0, 3), far);
}

TEST(prepared_refuses_values_that_do_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e39, 1}});
  CHECK_THROWS(std::overflow_error, Prepared<float>(linear(), far));
  Prepared<double>(linear(), far);
}

// A factor beyond the range makes the product infinite though the product itself would fit.
TEST(prepared_refuses_kernels_with_a_factor_that_does_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e7, -1e7}});
  CHECK_THROWS(std::overflow_error, Prepared<float>(product(polynomial(1, 0, 3), constant(1e-10)), far));
}

TEST(prepared_takes_rows_whose_squared_norms_overflow_where_the_kernel_is_bounded) {
  const DenseData<double> far(Table{3, 1, {1e20, -1e20, 1}});
  const Prepared<float> prepared(rbf(1), far);
  CHECK(prepared.points.far(1, 0, prepared.points.size()));
  CHECK_THROWS(std::overflow_error, Prepared<float>(linear(), far));
}

TEST(prepared_rows_serve_every_gamma) {
  const Table X = random_table(40, 3, 403);
  const DenseData<double> data(X);
  const auto rows = std::make_shared<const PreparedRows<float>>(data, frame_for(rbf(1), data));
  std::vector<Index> all(40);
  std::iota(all.begin(), all.end(), Index(0));
  for (const double gamma : {1e-3, 0.3, 1.0, 50.0, 1e4})
    for (const Kernel& kernel : {rbf(gamma), laplacian(gamma), product(constant(3), rbf(gamma))}) {
      const Prepared<float> shared(kernel, rows);
      CHECK(&shared.points == &rows->points);
      std::vector<float> out(40 * 40);
      kernel_block<float>(shared, all, all, out.data(), 40, {1});
      const Table K = naive_matrix(kernel, X, X);
      for (std::size_t i = 0; i < out.size(); ++i)
        CHECK_NEAR(static_cast<double>(out[i]), K.values[i], 3 * 256 * std::numeric_limits<float>::epsilon());
    }
}
