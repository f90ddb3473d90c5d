// Rows written as LIBSVM data are read as the same bits.
#include <bit>
#include <random>

#include "../fuzz/libsvm_laws.hpp"
#include "check.hpp"
#include "mercer/libsvm_writer.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

std::string text_of(const LibsvmTable& table, int threads = 1) {
  std::string text;
  for (const std::string& part : libsvm_lines(table, 0, rows_of(table.X), {threads})) text += part;
  return text;
}

}  // namespace

TEST(rows_are_written_in_the_fewest_digits) {
  const std::vector<double> X = {0, 0.1, -2, 1e22, -0.0, 99999, 100000, 1.0 / 3, 12345.5};
  const std::vector<double> labels = {1, -1, 0.5};
  const Dense<double> dense{X.data(), 3, 3};
  CHECK(text_of({dense, labels, {}}) ==
        "1 2:0.1 3:-2\n-1 1:1e+22 2:-0 3:99999\n0.5 1:1e+05 2:0.3333333333333333 3:12345.5\n");
  const std::vector<std::int64_t> queries = {3, -1, 3};
  CHECK(text_of({Dense<double>{X.data(), 3, 1}, labels, queries, true}) ==
        "1 qid:3\n-1 qid:-1 0:0.1\n0.5 qid:3 0:-2\n");
  const std::vector<float> single = {0.1f, 0, -std::numeric_limits<float>::quiet_NaN()};
  CHECK(text_of({Dense<float>{single.data(), 3, 1}, labels, {}}) == "1 1:0.1\n-1\n0.5 1:nan\n");
  CHECK(text_of({Dense<double>{X.data(), 0, 3}, {}, {}}).empty());
}

TEST(stored_zeros_of_sparse_rows_are_written) {
  const std::vector<double> values = {0, 2}, labels = {1, 2};
  const std::vector<std::int64_t> indices = {0, 5'000'000'000}, indptr = {0, 2, 2};
  const Csr<double, std::int64_t> X{values.data(), indices.data(), indptr.data(), 2, 6'000'000'000};
  CHECK(text_of({X, labels, {}}) == "1 1:0 5000000001:2\n2\n");
}

template <class T, class Bits>
void check_round_trip(int threads) {
  std::mt19937_64 random(5);
  std::vector<T> X;
  while (X.size() < 6000) {
    const T number = std::bit_cast<T>(static_cast<Bits>(random()));
    if (std::isfinite(number)) X.push_back(number);
    X.push_back(static_cast<T>(static_cast<double>(random() % 100000) / 1000));
  }
  X.resize(6000);
  const std::vector<double> labels(600, 0.1);
  const auto data = read_libsvm<T>(text_of({Dense<T>{X.data(), 600, 10}, labels, {}}, threads), {}, {threads});
  std::vector<T> read(6000);
  const auto& at = std::get<0>(data.positions);
  for (Index i = 0; i < data.rows; ++i)
    for (Index e = at.indptr[i]; e < at.indptr[i + 1]; ++e) read[i * 10 + at.indices[e]] = data.values[e];
  CHECK(std::ranges::equal(std::as_bytes(std::span(read)), std::as_bytes(std::span(X))));
}

TEST(written_rows_are_read_as_the_same_bits) {
  check_round_trip<double, std::uint64_t>(1);
  check_round_trip<double, std::uint64_t>(3);
  check_round_trip<float, std::uint32_t>(2);
}
