// The one parallel construct of the core.
#pragma once

#include <functional>

#include "mercer/stop.hpp"

namespace mercer {

// Who does a piece of work: up to `threads` threads, the calling one among them, which polls `stop` where there is one.
struct Workers {
  int threads = 1;
  Stop* stop = nullptr;
};

// Calls body(chunk) for every chunk below `chunks` on up to `threads` threads, the calling one among them, and returns
// when all are done. Which thread takes a chunk is not fixed, so a body writes only what belongs to its chunk: results
// then do not depend on the number of threads. The caller polls `stop` between its chunks and while it waits. The first
// exception of any thread ends the loop and reaches the caller. Inside a body, and while another thread uses the pool,
// it runs inline.
void parallel_for(Index chunks, int threads, const std::function<void(Index)>& body, Stop* stop = nullptr);

// For bodies that take longer than some milliseconds: polls where the caller runs one, and throws on other threads once
// the loop has ended. Outside of bodies it does nothing.
void poll_inside();

}  // namespace mercer
