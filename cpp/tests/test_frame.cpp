// Frames: where data are centred and scaled, for which leaves, and which kernels they serve.
#include <algorithm>

#include "check.hpp"
#include "mercer/frame.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(frame_centres_dense_data_of_translation_invariant_kernels_only) {
  const Table table = random_table(21, 5, 20);
  const DenseData<double> dense(table);
  const CsrData<double, std::int32_t> sparse(table);
  const Frame frame = frame_for(rbf(4), dense);
  CHECK(frame.scale == 2 && frame.shift.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    std::vector<double> column;
    for (Index i = 0; i < table.rows; ++i) column.push_back(table.row(i)[k]);
    std::ranges::sort(column);
    CHECK(frame.shift[k] == column[10]);
  }
  CHECK(frame_for(rbf(4), sparse).shift.empty() && frame_for(rbf(4), sparse).scale == 2);
  CHECK(frame_for(linear(), dense).shift.empty() && frame_for(linear(), dense).scale == 1);
}

TEST(frame_does_not_follow_an_outlier) {
  Table table = random_table(1000, 2, 25);
  table.row(0)[0] = table.row(999)[1] = 1e12;
  for (const double shift : frame_for(rbf(1), DenseData<double>(table)).shift) CHECK(std::abs(shift) < 1);
}

TEST(frame_has_a_part_for_each_set_of_weights) {
  const DenseData<double> data(random_table(9, 2, 26));
  const Kernel kernel = sum(weighted("laplacian", {4, 9}), sum(linear(), weighted("rbf", {4, 9})));
  const Frame frame = frame_for(kernel, data);
  CHECK(frame.shift.empty() && frame.scale == 1 && frame.feature_scales.empty() && frame.others.size() == 2);
  CHECK((frame.part(1).feature_scales == std::vector<double>{4, 9}) && frame.part(1).shift.size() == 2);
  CHECK((frame.part(2).feature_scales == std::vector<double>{2, 3}));
  const Kernel framed = kernel.in(frame);
  for (const Instruction& step : framed.program()) CHECK(step.leaf.weights().empty());
}

TEST(frame_serves_kernels_that_differ_in_gamma_not_in_weights_or_origin) {
  const DenseData<double> data(random_table(9, 2, 27));
  const Frame frame = frame_for(rbf(1), data), weights = frame_for(weighted("rbf", {1, 2}), data);
  for (const double gamma : {1e-6, 0.5, 1.0, 1e6}) CHECK(frame.serves(rbf(gamma)));
  CHECK(frame.serves(product(constant(2), laplacian(3))) && frame.serves(constant(1)));
  CHECK(frame.serves(sum(rbf(1), rbf(2))));
  CHECK(!frame.serves(rbf(1e20)) && !frame.serves(rbf(1e-20)));
  CHECK(!frame.serves(linear()) && !frame.serves(sum(rbf(1), linear())) && !frame.serves(weighted("rbf", {1, 2})));
  CHECK(weights.serves(weighted("rbf", {1, 2})) && !weights.serves(weighted("rbf", {2, 1})) && !weights.serves(rbf(1)));
  CHECK(frame_for(linear(), data).serves(polynomial(2, 1, 3)));
  const CsrData<double, std::int32_t> sparse(random_table(9, 2, 28));
  CHECK(!frame_for(weighted("rbf", {1, 2}), sparse).serves(linear()));
  for (const Kernel& kernel : {rbf(1e20), sum(linear(), rbf(1e20)), weighted("laplacian", {1e-9, 1e9}), constant(2),
                               sum(weighted("rbf", {1, 2}), sum(linear(), laplacian(1e-9)))}) {
    CHECK(frame_for(kernel, data).serves(kernel));
    CHECK(frame_for(kernel, sparse).serves(kernel));
  }
}
