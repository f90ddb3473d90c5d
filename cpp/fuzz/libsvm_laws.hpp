// What holds for the reader and the writer of LIBSVM data whatever the text is: for libFuzzer and for the tests.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "mercer/csr.hpp"
#include "mercer/libsvm_reader.hpp"
#include "mercer/libsvm_writer.hpp"

namespace mercer::fuzz {

template <class T>
using Outcome = std::variant<LibsvmData<T>, LibsvmError>;

template <class T>
Outcome<T> outcome(std::string_view text, const LibsvmOptions& options, int threads) {
  try {
    return read_libsvm<T>(text, options, {threads});
  } catch (const LibsvmError& error) {
    return error;
  }
}

inline void require(bool holds, const char* law) {
  if (!holds) throw std::logic_error(law);
}

template <class T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b, Index size) {
  return std::equal(reinterpret_cast<const char*>(a.data()), reinterpret_cast<const char*>(a.data() + size),
                    reinterpret_cast<const char*>(b.data()));
}

template <class T>
bool same(const LibsvmData<T>& a, const LibsvmData<T>& b) {
  if (a.rows != b.rows || a.entries != b.entries || a.columns != b.columns || a.is_zero_based != b.is_zero_based ||
      a.positions.index() != b.positions.index())
    return false;
  const bool same_positions = std::visit(
      [&](const auto& at) {
        const auto& other = std::get<std::remove_cvref_t<decltype(at)>>(b.positions);
        return same_bits(at.indices, other.indices, a.entries) && same_bits(at.indptr, other.indptr, a.rows + 1);
      },
      a.positions);
  const Index queries = a.queries.size() > 0 && b.queries.size() > 0 ? a.rows : 0;
  return same_positions && same_bits(a.labels, b.labels, a.rows) && same_bits(a.values, b.values, a.entries) &&
         same_bits(a.queries, b.queries, queries);
}

inline bool same(const LibsvmError& a, const LibsvmError& b) {
  return a.fault == b.fault && a.line == b.line && a.column == b.column && a.text == b.text && a.before == b.before;
}

template <class T>
bool same(const Outcome<T>& a, const Outcome<T>& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](const auto& one) { return same(one, std::get<std::remove_cvref_t<decltype(one)>>(b)); }, a);
}

// The text that the writer makes of what was read.
template <class T>
std::string written(const LibsvmData<T>& data) {
  const Matrix X = std::visit(
      [&]<class I>(const LibsvmPositions<I>& at) -> Matrix {
        const Csr<T, I> rows{data.values.data(), at.indices.data(), at.indptr.data(), data.rows, data.columns};
        check_csr(rows, data.entries);
        return rows;
      },
      data.positions);
  const std::size_t rows = static_cast<std::size_t>(data.rows);
  const std::size_t queries = data.queries.size() > 0 ? rows : 0;
  std::string text;
  for (const std::string& part : libsvm_lines(
           {X, {data.labels.data(), rows}, {data.queries.data(), queries}, data.is_zero_based}, 0, data.rows, {1}))
    text += part;
  return text;
}

template <class T>
void check_laws(std::string_view text, const LibsvmOptions& options) {
  const Outcome<T> whole = outcome<T>(text, options, 1);
  for (const Index piece_bytes : {1, 13}) {
    LibsvmOptions cut = options;
    cut.piece_bytes = piece_bytes;
    require(same(whole, outcome<T>(text, cut, piece_bytes == 13 ? 2 : 1)), "pieces change nothing");
  }
  if (const auto* error = std::get_if<LibsvmError>(&whole)) {
    require(error->line >= 1 && error->line <= 1 + std::ranges::count(text, '\n'), "a wrong line is one of the text");
    require(error->column >= 1 && error->column <= 1 + std::ssize(text), "its column too");
    return;
  }
  const auto& data = std::get<LibsvmData<T>>(whole);
  LibsvmOptions again = options;
  again.base = data.is_zero_based ? IndexBase::zero : IndexBase::one;
  require(data.columns <= options.columns, "columns are as many as allowed");
  require(same(whole, outcome<T>(written(data), again, 1)), "what is written is read as the same");
}

inline void check_laws(std::string_view text) {
  check_laws<double>(text, {});
  check_laws<float>(text, {.base = IndexBase::one, .columns = 5, .finite_only = false});
  check_laws<double>(text, {.base = IndexBase::zero, .with_queries = true});
}

}  // namespace mercer::fuzz
