#include "mercer/libsvm_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string_view>
#include <utility>

namespace mercer {
namespace {

// Text that grows at its end, gathered before it is appended.
class Lines {
 public:
  void add(char c) {
    make_room();
    *at_++ = c;
  }
  void add(std::string_view word) {
    make_room();
    at_ = std::ranges::copy(word, at_).out;
  }
  void add(std::int64_t number) {
    make_room();
    at_ = std::to_chars(at_, buffer_.data() + buffer_.size(), number).ptr;
  }
  template <std::floating_point T>
  void add(T number) {
    // Not-a-numbers have signs, which say nothing.
    if (std::isnan(number)) return add(std::string_view("nan"));
    make_room();
    char* const end = buffer_.data() + buffer_.size();
    const bool is_small = std::abs(number) < 1e5 && (number != 0 || !std::signbit(number));
    const int whole = is_small ? static_cast<int>(number) : 0;
    at_ = (is_small && number == whole ? std::to_chars(at_, end, whole) : std::to_chars(at_, end, number)).ptr;
  }

  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  static constexpr std::ptrdiff_t longest = 32;  // of what is added at once: a number takes 24 characters at most

  void make_room() {
    if (buffer_.data() + buffer_.size() - at_ < longest) flush();
  }
  void flush() {
    text_.append(buffer_.data(), at_);
    at_ = buffer_.data();
  }

  std::array<char, 1 << 14> buffer_;
  char* at_ = buffer_.data();
  std::string text_;
};

template <class T>
void add_entry(Lines& lines, std::int64_t index, T value) {
  lines.add(' ');
  lines.add(index);
  lines.add(':');
  lines.add(value);
}

template <class T>
void add_entries(Lines& lines, const Dense<T>& X, Index row, Index base) {
  const T* const values = X.row(row);
  for (Index j = 0; j < X.cols; ++j)
    if (values[j] != 0 || std::signbit(values[j])) add_entry(lines, j + base, values[j]);
}

template <class T, class I>
void add_entries(Lines& lines, const Csr<T, I>& X, Index row, Index base) {
  for (Index e = X.indptr[row]; e < X.indptr[row + 1]; ++e) add_entry(lines, X.indices[e] + base, X.values[e]);
}

std::string lines_of(const LibsvmTable& table, Index first, Index last) {
  Lines lines;
  for (Index i = first; i < last; ++i) {
    lines.add(table.labels[i]);
    if (!table.queries.empty()) {
      lines.add(std::string_view(" qid:"));
      lines.add(table.queries[i]);
    }
    std::visit([&](const auto& X) { add_entries(lines, X, i, table.is_zero_based ? 0 : 1); }, table.X);
    lines.add('\n');
    poll_inside();
  }
  return lines.take();
}

}  // namespace

std::vector<std::string> libsvm_lines(const LibsvmTable& table, Index first, Index last, const Workers& workers) {
  constexpr Index parts_per_thread = 4;
  const Index parts = std::clamp<Index>(last - first, 1, parts_per_thread * workers.threads);
  std::vector<std::string> text(parts);
  parallel_for(
      parts, workers.threads,
      [&](Index k) {
        text[k] = lines_of(table, first + (last - first) * k / parts, first + (last - first) * (k + 1) / parts);
      },
      workers.stop);
  return text;
}

}  // namespace mercer
