// LIBSVM data: what lines mean, which are refused, and that pieces and threads change nothing.
#include <vector>

#include "../fuzz/libsvm_laws.hpp"
#include "check.hpp"
#include "mercer/libsvm_reader.hpp"

using namespace mercer;
using namespace mercer::test;
using fuzz::outcome;

namespace {

struct Row {
  double label;
  std::vector<std::pair<Index, double>> entries;
  bool operator==(const Row&) const = default;
};

template <class T>
std::vector<Row> rows_of(const LibsvmData<T>& data) {
  std::vector<Row> rows;
  std::visit(
      [&](const auto& at) {
        CHECK(at.indptr[0] == 0);
        for (Index i = 0; i < data.rows; ++i) {
          rows.push_back({data.labels[i], {}});
          for (Index e = at.indptr[i]; e < at.indptr[i + 1]; ++e)
            rows.back().entries.emplace_back(at.indices[e], data.values[e]);
        }
      },
      data.positions);
  return rows;
}

std::vector<Row> rows_of(std::string_view text, const LibsvmOptions& options = {}) {
  return rows_of(read_libsvm<double>(text, options, {1}));
}

struct Wrong {
  const char* text;
  LibsvmFault fault;
  Index line, column;
  const char* there;
  LibsvmOptions options = {};
};

void check_wrong(const Wrong& wrong) {
  const auto found = outcome<double>(wrong.text, wrong.options, 1);
  CHECK(found.index() == 1);
  if (found.index() != 1) return check(false, wrong.text, 0, "was read");
  const LibsvmError& error = std::get<LibsvmError>(found);
  check(error.fault == wrong.fault, wrong.text, static_cast<int>(error.fault), "is another fault");
  check(error.line == wrong.line, wrong.text, static_cast<int>(error.line), "is another line");
  check(error.column == wrong.column, wrong.text, static_cast<int>(error.column), "is another column");
  check(error.text == wrong.there, wrong.text, 0, error.text);
}

}  // namespace

TEST(libsvm_lines_become_rows) {
  const std::vector<Row> expected = {{1, {{0, 0.5}, {2, -2}}}, {-1, {{1, 1e3}}}, {1.5, {}}};
  CHECK(rows_of("+1 1:0.5 3:-2\n-1 2:1e3\n1.5\n") == expected);
  CHECK(rows_of("1 1:.5 3:-2.\r\n-1\t 2:1000 \t\r\n\r\n   1.5 # 7:7\r\n") == expected);
  CHECK(rows_of("\xEF\xBB\xBF# first\n\n \t\n1 1:0.5 3:-2#c\n# 1:1\n-1 2:1E+3\n15e-1") == expected);
  CHECK(rows_of("1 qid:7 001:5e-1 3:-2\n-1 qid:-3 2:1e3 # q:1\n1.5 qid:0\n") == expected);
  CHECK(rows_of("").empty());
  CHECK(rows_of("\n# nothing\n \n").empty());
}

TEST(libsvm_indices_begin_with_one_unless_there_is_a_zero) {
  CHECK(rows_of("1 1:2\n2 3:4") == (std::vector<Row>{{1, {{0, 2}}}, {2, {{2, 4}}}}));
  CHECK(rows_of("1 1:2\n2 0:5 3:4") == (std::vector<Row>{{1, {{1, 2}}}, {2, {{0, 5}, {3, 4}}}}));
  CHECK(rows_of("1 1:2", {.base = IndexBase::zero}) == (std::vector<Row>{{1, {{1, 2}}}}));
  CHECK(rows_of("1 1:2", {.base = IndexBase::one}) == (std::vector<Row>{{1, {{0, 2}}}}));
  CHECK(read_libsvm<double>("1 1:2\n2 3:4", {}, {1}).columns == 3);
  CHECK(read_libsvm<double>("1 0:2\n2 3:4", {}, {1}).columns == 4);
  CHECK(read_libsvm<double>("1\n2", {}, {1}).columns == 0);
  CHECK(read_libsvm<double>("1 0:2\n2 3:4", {}, {1}).is_zero_based);
  CHECK(!read_libsvm<double>("1 1:2", {}, {1}).is_zero_based);
}

TEST(libsvm_indices_of_64_bits_are_read) {
  for (const IndexBase base : {IndexBase::one, IndexBase::detect}) {
    const auto narrow = read_libsvm<double>("1 2147483647:1", {.base = base}, {1});
    CHECK(narrow.columns == 2147483647);
    CHECK(narrow.positions.index() == 0);
  }
  const auto from_zero = read_libsvm<double>("1 2147483647:1\n1 0:1", {}, {1});
  CHECK(from_zero.columns == 2147483648);
  CHECK(from_zero.positions.index() == 1);
  const auto wide = read_libsvm<double>("1 1:1\n1 2147483648:1", {}, {1});
  CHECK(wide.columns == 2147483648);
  CHECK(wide.positions.index() == 1);
  CHECK(rows_of("1 9223372036854775807:1")[0].entries[0].first == 9223372036854775806);
  CHECK(rows_of("1 0:1 9223372036854775806:1")[0].entries[1].first == 9223372036854775806);
  CHECK(rows_of("1 0000000000000000000000000000003:1")[0].entries[0].first == 2);
}

TEST(libsvm_queries_are_read_where_asked_for) {
  const auto data = read_libsvm<float>("1 qid:3 1:1\n2 qid:-9223372036854775808\n", {.with_queries = true}, {1});
  CHECK(data.queries[0] == 3);
  CHECK(data.queries[1] == std::numeric_limits<std::int64_t>::min());
}

TEST(libsvm_numbers_that_are_not_finite_are_read_where_allowed) {
  const auto rows = rows_of("inf 1:-Infinity 2:1e999\nNaN 1:-nan", {.finite_only = false});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(rows[0] == (Row{infinity, {{0, -infinity}, {1, infinity}}}));
  CHECK(std::isnan(rows[1].label) && std::isnan(rows[1].entries[0].second));
  CHECK(!std::signbit(rows[1].entries[0].second));  // it says nothing
}

TEST(libsvm_lines_that_are_wrong_are_told_with_their_place) {
  using enum LibsvmFault;
  constexpr LibsvmOptions one{.base = IndexBase::one}, zero{.base = IndexBase::zero}, queries{.with_queries = true};
  constexpr LibsvmOptions three{.columns = 3}, three_from_zero{.base = IndexBase::zero, .columns = 3};
  for (const Wrong& wrong : std::initializer_list<Wrong>{
           {"1 1:1\nabc 1:1\n", bad_label, 2, 1, "abc"},
           {"\n\n  +-1", bad_label, 3, 3, "+-1"},
           {"\"1\" 1:1", bad_label, 1, 1, "\"1\""},
           {"1 1:1\n2:3 4:5", missing_label, 2, 1, "2:3"},
           {"qid:3 4:5", missing_label, 1, 1, "qid:3"},
           {"1,2 4:5", several_labels, 1, 1, "1,2"},
           {"0x1 4:5", hexadecimal, 1, 1, "0x1"},
           {"nan 4:5", not_finite, 1, 1, "nan"},
           {"1e999 4:5", too_large, 1, 1, "1e999"},
           {"1 a:5", bad_entry, 1, 3, "a:5"},
           {"1 1a:5", bad_entry, 1, 3, "1a:5"},
           {"1 1.5:5", bad_entry, 1, 3, "1.5:5"},
           {"1 :5", bad_entry, 1, 3, ":5"},
           {"1 +1:5", bad_entry, 1, 3, "+1:5"},
           {"1 1:5 7\n", missing_colon, 1, 7, "7"},
           {"1 1:5 7#:8", missing_colon, 1, 7, "7"},
           {"1 -1:5", negative_index, 1, 3, "-1:5"},
           {"1 1:1\n# c\n1 0:5 1:1", zero_index, 3, 3, "0:5", one},
           {"1 9223372036854775808:1", index_beyond, 1, 3, "9223372036854775808:1"},
           {"1 9223372036854775807:1", index_beyond, 1, 3, "9223372036854775807:1", zero},
           {"1 0:1 9223372036854775807:1", index_beyond, 1, 7, "9223372036854775807:1"},
           {"1 99999999999999999999999:1", index_beyond, 1, 3, "99999999999999999999999:1"},
           {"1 3:1\n1 1:1 4:1", index_beyond, 2, 7, "4:1", three},
           {"1 3:1\n1 0:1", index_beyond, 1, 3, "3:1", three},
           {"1 2:1\n1 3:1", index_beyond, 2, 3, "3:1", three_from_zero},
           {"1 2:1 1:1", not_ascending, 1, 7, "1:1"},
           {"1 2:1 2:1", repeated_index, 1, 7, "2:1"},
           {"1 2: 3:1", missing_value, 1, 5, ""},
           {"1 2:", missing_value, 1, 5, ""},
           {"1 2:x", bad_value, 1, 5, "x"},
           {"1 2:1:1", bad_value, 1, 5, "1:1"},
           {"1 2:1,5", bad_value, 1, 5, "1,5"},
           {"1 2:1e", bad_value, 1, 5, "1e"},
           {"1 2:-0X1p3", hexadecimal, 1, 5, "-0X1p3"},
           {"1 2:-inf", not_finite, 1, 5, "-inf"},
           {"1 2:infinit", bad_value, 1, 5, "infinit"},
           {"1 2:-1e309", too_large, 1, 5, "-1e309"},
           {"1 qid:x", bad_query, 1, 3, "qid:x"},
           {"1 qid:9223372036854775808", bad_query, 1, 3, "qid:9223372036854775808"},
           {"1 1:1 qid:3", misplaced_query, 1, 7, "qid:3"},
           {"1 qid:3 qid:4", misplaced_query, 1, 9, "qid:4"},
           {"1 qid:3\n1 1:1", missing_query, 2, 3, "1:1", queries},
           {"1 sid:3", bad_entry, 1, 3, "sid:3"},
       })
    check_wrong(wrong);
  const std::string long_word(1000, 'z');
  check_wrong({long_word.c_str(), bad_label, 1, 1, std::string(60, 'z').c_str()});
}

TEST(libsvm_single_precision_is_rounded_once_and_must_be_finite) {
  const auto data = read_libsvm<float>("1 1:1.00000017881393432617187499 2:0.1", {}, {1});
  CHECK(data.values[0] == 1.00000011920928955078125f);
  CHECK(data.values[1] == 0.1f);
  CHECK(outcome<float>("1 1:1e39", {}, 1).index() == 1);
}

TEST(libsvm_pieces_and_threads_change_nothing) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    if (i % 7 == 0) text += "# a:b:c:d comment\n\n";
    text += std::to_string(i % 3) + (i % 2 ? " qid:4" : "");
    for (int j = i % 5; j < i; j += 1 + i % 4) text += ' ' + std::to_string(j) + ':' + std::to_string(j * 0.37 - i);
    text += i % 2 ? "\r\n" : " # 1:2\n";
  }
  const auto expected = outcome<double>(text, {}, 1);
  CHECK(expected.index() == 0);
  CHECK(std::get<0>(expected).rows == 300);
  for (const Index piece_bytes : {1, 10, 100, 1000, 10'000})
    for (const int threads : {1, 2, 5})
      CHECK(fuzz::same(expected, outcome<double>(text, {.piece_bytes = piece_bytes}, threads)));
  text.insert(text.find("\n2", 5000) + 1, "2 3:4 x\n");
  const auto wrong = outcome<double>(text + "y", {}, 1);
  CHECK(wrong.index() == 1);
  for (const Index piece_bytes : {1, 10, 100, 1000, 10'000})
    for (const int threads : {1, 2, 5})
      CHECK(fuzz::same(wrong, outcome<double>(text + "y", {.piece_bytes = piece_bytes}, threads)));
}

TEST(libsvm_memory_is_that_of_the_rows) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 1:1 # ::::::::::::::::::::::::\n\n\n";
  const auto data = read_libsvm<double>(text, {}, {2});
  CHECK(data.entries == 1000);
  CHECK(data.values.size() <= 1200);
  CHECK(data.labels.size() <= 1200);
}
