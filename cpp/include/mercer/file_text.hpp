// The bytes of a file, in memory of our own: a mapped file that somebody shortens would end the process.
#pragma once

#include "mercer/buffer.hpp"
#include "mercer/pool.hpp"

namespace mercer {

// The first `size` bytes of an open file. Throws std::system_error where it cannot be read, and std::runtime_error
// where it has become shorter.
Buffer<char> read_text(int descriptor, Index size, const Workers& workers);

}  // namespace mercer
