#include "mercer/libsvm_reader.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "files/libsvm_piece.hpp"

namespace mercer {
namespace {

using namespace files;

// Whole lines of the text, and how much can be in them.
struct Piece {
  const char *begin, *end;
  Index lines = 0, most_entries = 0;
  Index line = 0, entry = 0;  // how many are before it, where each line is a row and each colon an entry
  PieceFound found = {};
  std::optional<LibsvmError> error = {};
  bool is_too_wide = false;
};

// The text in pieces that end with a line. A last line without an end gets one, in memory of its own.
struct Pieces {
  std::vector<Piece> list;
  std::vector<char> last_line;  // stays where it is when pieces are moved
};

Index bytes_of_piece(Index size, const LibsvmOptions& options, int threads) {
  // Smaller ones take longer to hand out than they save; larger ones leave threads idle at the end.
  constexpr Index least = Index(1) << 16, most = Index(1) << 20;
  if (options.piece_bytes > 0) return options.piece_bytes;
  return std::clamp(size / (4 * static_cast<Index>(threads)), least, most);
}

Pieces cut(std::string_view text, Index piece_bytes) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark of UTF-8
  Pieces pieces;
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 == 0
  const char *begin = text.data(), *const end = begin + whole;
  while (begin < end) {
    const char* cut = begin + std::min<Index>(piece_bytes, end - begin);
    cut = static_cast<const char*>(std::memchr(cut - 1, '\n', static_cast<std::size_t>(end - cut + 1))) + 1;
    pieces.list.push_back({begin, cut});
    begin = cut;
  }
  if (whole < text.size()) {
    pieces.last_line.assign(text.begin() + static_cast<Index>(whole), text.end());
    pieces.last_line.push_back('\n');
    pieces.list.push_back({pieces.last_line.data(), pieces.last_line.data() + pieces.last_line.size()});
  }
  return pieces;
}

void count(Piece& piece) {
  constexpr Index block = 240;  // sums of so many fit a byte
  Index colons = 0;
  const char* p = piece.begin;
  for (; piece.end - p >= block; p += block) {
    std::uint8_t lines_here = 0, colons_here = 0;
    for (Index k = 0; k < block; ++k) {
      lines_here += p[k] == '\n';
      colons_here += p[k] == ':';
    }
    piece.lines += lines_here;
    colons += colons_here;
  }
  piece.lines += std::count(p, piece.end, '\n');
  colons += std::count(p, piece.end, ':');
  constexpr Index least_bytes = 4;  // of an entry, with what parts it from others
  piece.most_entries = std::min(colons, (piece.end - piece.begin) / least_bytes + 1);
}

// What is to be kept, in memory that is not much longer.
template <class T>
Buffer<T> fitted(Buffer<T> from, Index size) {
  if (size >= from.size() - from.size() / 8) return from;
  Buffer<T> exact(size);
  std::copy_n(from.data(), size, exact.data());
  return exact;
}

template <class T>
void move_down(Buffer<T>& values, Index from, Index to, Index size) {
  if (from != to) std::copy_n(values.data() + from, size, values.data() + to);
}

// Reads pieces that have been counted; nothing where indices do not fit I.
template <class T, class I>
class Reading {
 public:
  Reading(Pieces& pieces, const LibsvmOptions& options, const Workers& workers)
      : pieces_(pieces.list), options_(options), workers_(workers) {
    const Piece none{nullptr, nullptr};
    const Piece& last = pieces_.empty() ? none : pieces_.back();
    const Index rows = last.line + last.lines, entries = last.entry + last.most_entries;
    data_.labels = Buffer<double>(rows);
    if (options.with_queries) data_.queries = Buffer<std::int64_t>(rows);
    data_.values = Buffer<T>(entries);
    at_.indices = Buffer<I>(entries);
    at_.indptr = Buffer<I>(rows + 1);
  }

  std::optional<LibsvmData<T>> read() {
    std::atomic<Index> first_wrong = std::ssize(pieces_);
    parallel_for(
        std::ssize(pieces_), workers_.threads,
        [&](Index k) {
          if (k < first_wrong && !read_piece(pieces_[k])) lower(first_wrong, k);
        },
        workers_.stop);
    if (first_wrong < std::ssize(pieces_)) {
      const Piece& wrong = pieces_[first_wrong];
      if (wrong.is_too_wide) return std::nullopt;
      throw *wrong.error;
    }
    join();
    // Only now is it known that an index 0 makes columns one more.
    const auto columns = static_cast<std::uint64_t>(data_.columns);
    if (sizeof(I) == 4 && columns > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return std::move(data_);
  }

 private:
  static void lower(std::atomic<Index>& least, Index k) {
    Index now = least;
    while (k < now && !least.compare_exchange_weak(now, k)) {
    }
  }

  bool read_piece(Piece& piece) {
    const PieceRows<T, I> to{
        data_.labels.data() + piece.line, options_.with_queries ? data_.queries.data() + piece.line : nullptr,
        at_.indptr.data() + 1 + piece.line, data_.values.data() + piece.entry, at_.indices.data() + piece.entry};
    try {
      piece.found = PieceReader<T, I>(piece.begin, piece.end, options_, to).read();
      return true;
    } catch (LibsvmError& error) {
      error.line += piece.line + 1;
      piece.error = std::move(error);
    } catch (const TooWide&) {
      piece.is_too_wide = true;
    }
    return false;
  }

  // Pieces that had room for more leave gaps, which are closed.
  void join() {
    std::uint64_t bound = 0;
    bool has_zero_index = false;
    at_.indptr[0] = 0;
    for (const Piece& piece : pieces_) {
      const PieceFound& found = piece.found;
      move_down(data_.labels, piece.line, data_.rows, found.rows);
      if (options_.with_queries) move_down(data_.queries, piece.line, data_.rows, found.rows);
      for (Index i = 0; i < found.rows; ++i)
        at_.indptr[1 + data_.rows + i] = at_.indptr[1 + piece.line + i] + static_cast<I>(data_.entries);
      move_down(data_.values, piece.entry, data_.entries, found.entries);
      move_down(at_.indices, piece.entry, data_.entries, found.entries);
      data_.rows += found.rows;
      data_.entries += found.entries;
      bound = std::max(bound, found.bound);
      has_zero_index |= found.has_zero_index;
    }
    data_.is_zero_based = options_.base == IndexBase::zero || has_zero_index;
    if (has_zero_index && options_.base == IndexBase::detect) raise_indices();
    data_.columns = static_cast<Index>(bound - (bound > 0 && !data_.is_zero_based));
    data_.labels = fitted(std::move(data_.labels), data_.rows);
    if (options_.with_queries) data_.queries = fitted(std::move(data_.queries), data_.rows);
    data_.values = fitted(std::move(data_.values), data_.entries);
    at_.indices = fitted(std::move(at_.indices), data_.entries);
    at_.indptr = fitted(std::move(at_.indptr), data_.rows + 1);
    data_.positions = std::move(at_);
  }

  // They were read as if they began with one.
  void raise_indices() {
    constexpr Index block = 1 << 18;
    parallel_for((data_.entries + block - 1) / block, workers_.threads,
                 [&](Index k) {
                   I* const indices = at_.indices.data();
                   const Index last = std::min(data_.entries, (k + 1) * block);
                   for (Index e = k * block; e < last; ++e) ++indices[e];
                 },
                 workers_.stop);
  }

  std::vector<Piece>& pieces_;
  const LibsvmOptions& options_;
  const Workers& workers_;
  LibsvmData<T> data_;
  LibsvmPositions<I> at_;
};

template <class T>
LibsvmData<T> read_pieces(Pieces& pieces, const LibsvmOptions& options, const Workers& workers) {
  Index entries = 0;
  for (const Piece& piece : pieces.list) entries += piece.most_entries;
  if (entries <= std::numeric_limits<std::int32_t>::max())
    if (auto data = Reading<T, std::int32_t>(pieces, options, workers).read()) return *std::move(data);
  for (Piece& piece : pieces.list) piece.is_too_wide = false;
  return *Reading<T, std::int64_t>(pieces, options, workers).read();
}

}  // namespace

template <class T>
LibsvmData<T> read_libsvm(std::string_view text, const LibsvmOptions& options, const Workers& workers) {
  Pieces pieces = cut(text, bytes_of_piece(std::ssize(text), options, workers.threads));
  parallel_for(std::ssize(pieces.list), workers.threads, [&](Index k) { count(pieces.list[k]); }, workers.stop);
  Piece before{nullptr, nullptr};
  for (Piece& piece : pieces.list) {
    piece.line = before.line + before.lines;
    piece.entry = before.entry + before.most_entries;
    before = piece;
  }
  LibsvmData<T> data = read_pieces<T>(pieces, options, workers);
  // The same of columns that were allowed: the line is told.
  if (static_cast<std::uint64_t>(data.columns) > static_cast<std::uint64_t>(options.columns)) {
    LibsvmOptions known = options;
    known.base = IndexBase::zero;
    return read_pieces<T>(pieces, known, workers);
  }
  return data;
}

template LibsvmData<float> read_libsvm(std::string_view, const LibsvmOptions&, const Workers&);
template LibsvmData<double> read_libsvm(std::string_view, const LibsvmOptions&, const Workers&);

}  // namespace mercer
