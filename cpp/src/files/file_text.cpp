#include "mercer/file_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace mercer {
namespace {

constexpr Index bytes_at_once = Index(1) << 22;

void read_range(int descriptor, char* to, Index first, Index last) {
  while (first < last) {
    const ssize_t got = pread(descriptor, to + first, static_cast<std::size_t>(last - first), first);
    if (got == 0) throw std::runtime_error("the file became shorter while it was read");
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    first += got;
  }
}

}  // namespace

Buffer<char> read_text(int descriptor, Index size, const Workers& workers) {
  Buffer<char> text(size);
  const Index parts = (size + bytes_at_once - 1) / bytes_at_once;
  parallel_for(
      parts, workers.threads,
      [&](Index part) {
        read_range(descriptor, text.data(), part * bytes_at_once, std::min(size, (part + 1) * bytes_at_once));
      },
      workers.stop);
  return text;
}

}  // namespace mercer
