// Some lines of LIBSVM data, read by one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "files/decimal.hpp"
#include "mercer/libsvm_reader.hpp"

namespace mercer::files {

// The white space of the C locale.
inline bool is_space(char c) { return c == ' ' || static_cast<unsigned char>(c - '\t') < 5; }
inline bool is_blank(char c) { return is_space(c) && c != '\n'; }
inline bool ends_token(char c) { return is_space(c) || c == '#'; }

// Where the rows of a piece go. There is room for an entry for each colon of the text and a row for each line.
template <class T, class I>
struct PieceRows {
  double* labels;
  std::int64_t* queries;
  I* ends;  // of each row, counted from the first entry of the piece
  T* values;
  I* indices;  // less one, unless the base is zero
};

struct PieceFound {
  Index rows = 0, entries = 0;
  std::uint64_t bound = 0;  // one more than the largest index; 0 where there is none
  bool has_zero_index = false;
};

// Thrown where an index does not fit the integers it is kept in.
struct TooWide {};

template <class T, class I>
class PieceReader {
 public:
  // Whole lines, the last one with its end.
  PieceReader(const char* begin, const char* end, const LibsvmOptions& options, const PieceRows<T, I>& to)
      : begin_(begin), end_(end), options_(options), to_(to), offset_(options.base == IndexBase::zero ? 0 : 1) {
    bound_ = static_cast<std::uint64_t>(options.columns) + offset_;
    narrow_ = static_cast<std::uint64_t>(std::numeric_limits<I>::max()) + offset_;
  }

  PieceFound read() {
    const char* p = begin_;
    while (p < end_) {
      while (is_blank(*p)) ++p;
      if (*p == '\n')
        ++p;
      else if (*p == '#')
        p = next_line(p);
      else
        p = read_row(p);
    }
    return found_;
  }

 private:
  // After so many entries somebody may want to stop.
  static constexpr Index entries_between_polls = 1 << 16;

  const char* next_line(const char* p) const {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p))) + 1;
  }

  const char* read_row(const char* p) {
    double label;
    p = read_label(p, label);
    while (is_blank(*p)) ++p;
    std::int64_t query = 0;
    if (is_query(p))
      p = read_query(p, query);
    else if (options_.with_queries)
      fail(LibsvmFault::missing_query, p);
    p = read_entries(p);
    to_.labels[found_.rows] = label;
    if (options_.with_queries) to_.queries[found_.rows] = query;
    to_.ends[found_.rows] = static_cast<I>(found_.entries);
    ++found_.rows;
    if (found_.entries - polled_ > entries_between_polls) {
      polled_ = found_.entries;
      poll_inside();
    }
    return p;
  }

  // Entries up to the end of the line; returns the beginning of the next.
  const char* read_entries(const char* p) {
    T* const values = to_.values;
    I* const indices = to_.indices;
    Index entries = found_.entries;
    std::uint64_t least = 0;  // that the next index may be
    while (is_blank(*p)) ++p;
    const char *const first = p, *token = p;
    for (;;) {
      while (is_blank(*p)) ++p;
      if (!is_digit(*p)) break;
      token = p;
      std::uint64_t index = static_cast<std::uint64_t>(*p - '0');
      for (++p; is_digit(*p); ++p) index = index * 10 + static_cast<std::uint64_t>(*p - '0');
      if (*p != ':') fail_without_colon(token, p);
      if (p - token > safe_digits) [[unlikely]]
        check_index(token, p);
      if (index < least) fail_order(token, index, least - 1);
      least = index + 1;
      p = read_value(p + 1, values[entries]);
      indices[entries++] = static_cast<I>(index - offset_);
    }
    if (*p != '\n' && *p != '#') fail_entry(p);
    if (entries > found_.entries) {
      if (least > bound_) fail(LibsvmFault::index_beyond, token);
      if (least > narrow_) throw TooWide{};
      if (indices[found_.entries] == static_cast<I>(0 - offset_)) note_zero(first);
      found_.bound = std::max(found_.bound, least);
      found_.entries = entries;
    }
    return *p == '\n' ? p + 1 : next_line(p);
  }

  const char* read_value(const char* p, T& value) {
    // A digit alone is what most values of many files are.
    if (is_digit(*p) && (p[1] == ' ' || p[1] == '\n')) {
      value = static_cast<T>(*p - '0');
      return p + 1;
    }
    const char* const after = read_decimal(p, end_, value);
    if (after == nullptr || !ends_token(*after)) [[unlikely]]
      return read_odd_value(p, value);
    if (options_.finite_only && !std::isfinite(value)) [[unlikely]]
      fail(LibsvmFault::too_large, p);
    return after;
  }

  const char* read_label(const char* p, double& label) {
    const char* after = read_decimal(p, end_, label);
    if (after != nullptr && ends_token(*after)) {
      if (options_.finite_only && !std::isfinite(label)) fail(LibsvmFault::too_large, p);
      return after;
    }
    if (after != nullptr && *after == ',') fail(LibsvmFault::several_labels, p);
    if (after != nullptr && *after == ':') fail(LibsvmFault::missing_label, p);
    if (is_query(p)) fail(LibsvmFault::missing_label, p);
    return read_odd(p, label, LibsvmFault::bad_label);
  }

  const char* read_odd_value(const char* p, T& value) {
    if (ends_token(*p)) fail(LibsvmFault::missing_value, p);
    return read_odd(p, value, LibsvmFault::bad_value);
  }

  // Infinity and what is no number, where they are allowed.
  template <class V>
  const char* read_odd(const char* p, V& value, LibsvmFault otherwise) {
    const char* word = p + (*p == '-' || *p == '+');
    if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) fail(LibsvmFault::hexadecimal, p);
    const char* after = nullptr;
    if ((after = after_word(word, "nan"))) value = std::numeric_limits<V>::quiet_NaN();
    for (const std::string_view infinite : {"infinity", "inf"})
      if (!after && (after = after_word(word, infinite))) value = std::numeric_limits<V>::infinity();
    if (!after) fail(otherwise, p);
    if (options_.finite_only) fail(LibsvmFault::not_finite, p);
    if (*p == '-' && !std::isnan(value)) value = -value;
    return after;
  }

  // Where the word ends if it stands there as a whole, in large letters or small ones.
  static const char* after_word(const char* p, std::string_view word) {
    for (const char letter : word)
      if ((*p++ | 0x20) != letter) return nullptr;
    return ends_token(*p) ? p : nullptr;
  }

  static bool is_query(const char* p) { return p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':'; }

  const char* read_query(const char* p, std::int64_t& query) const {
    const auto [after, error] = std::from_chars(p + 4, end_, query);
    if (error != std::errc() || !ends_token(*after)) fail(LibsvmFault::bad_query, p);
    return after;
  }

  // Indices of so many digits fit 64 bits.
  static constexpr Index safe_digits = 18;

  // Of a longer one that has been read, zeros in front do not count.
  void check_index(const char* token, const char* colon) const {
    std::int64_t index;
    if (std::from_chars(token, colon, index).ec != std::errc()) fail(LibsvmFault::index_beyond, token);
  }

  void note_zero(const char* token) {
    if (options_.base == IndexBase::one) fail(LibsvmFault::zero_index, token);
    found_.has_zero_index = true;
  }

  [[noreturn]] void fail_order(const char* token, std::uint64_t index, std::uint64_t before) const {
    fail(index == before ? LibsvmFault::repeated_index : LibsvmFault::not_ascending, token, before);
  }

  [[noreturn]] void fail_without_colon(const char* token, const char* p) const {
    fail(ends_token(*p) ? LibsvmFault::missing_colon : LibsvmFault::bad_entry, token);
  }

  [[noreturn]] void fail_entry(const char* p) const {
    if (is_query(p)) fail(LibsvmFault::misplaced_query, p);
    fail(*p == '-' && is_digit(p[1]) ? LibsvmFault::negative_index : LibsvmFault::bad_entry, p);
  }

  // Lines are counted from that of the piece; who started the reader knows which one it is.
  [[noreturn, gnu::cold, gnu::noinline]] void fail(LibsvmFault fault, const char* at, std::uint64_t before = 0) const {
    constexpr Index most_told = 60;
    LibsvmError error;
    error.fault = fault;
    error.before = before;
    error.line = std::count(begin_, at, '\n');
    const char* line = at;
    while (line > begin_ && line[-1] != '\n') --line;
    error.column = at - line + 1;
    const char* last = at;
    while (!ends_token(*last) && last - at < most_told) ++last;
    error.text.assign(at, last);
    throw error;
  }

  const char *begin_, *end_;
  const LibsvmOptions& options_;
  PieceRows<T, I> to_;
  std::uint64_t offset_;
  std::uint64_t bound_;   // one more than the largest index that may be
  std::uint64_t narrow_;  // one more than the largest that fits
  PieceFound found_;
  Index polled_ = 0;
};

}  // namespace mercer::files
