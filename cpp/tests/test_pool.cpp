// The parallel loop: every chunk once, exceptions back, nested and concurrent calls, a forked child.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "mercer/pool.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// How often each chunk was done.
std::vector<int> counts_of(Index chunks, int threads) {
  std::vector<std::atomic<int>> counts(at(chunks));
  parallel_for(chunks, threads, [&](Index chunk) { ++counts[at(chunk)]; });
  return {counts.begin(), counts.end()};
}

bool each_once(const std::vector<int>& counts) {
  return std::ranges::all_of(counts, [](int count) { return count == 1; });
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// Whether the caller and others each take some of many chunks.
bool shares_chunks(int threads) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere{0}, here{0};
  parallel_for(200, threads, [&](Index) {
    ++(std::this_thread::get_id() == caller ? here : elsewhere);
    rest();
  });
  return here > 0 && elsewhere > 0 && here + elsewhere == 200;
}

}  // namespace

TEST(pool_does_every_chunk_once) {
  for (int threads = 1; threads <= 4; ++threads)
    for (const Index chunks : {0, 1, 2, 3, 7, 1000})
      for (int again = 0; again < 20; ++again) CHECK(each_once(counts_of(chunks, threads)));
}

TEST(pool_shares_the_chunks_among_threads) { CHECK(shares_chunks(3)); }

TEST(pool_uses_no_more_threads_than_asked) {
  std::atomic<int> at_work{0}, most{0};
  parallel_for(100, 2, [&](Index) {
    const int now = ++at_work;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    rest();
    --at_work;
  });
  CHECK(most <= 2);
}

TEST(pool_carries_an_exception_back_and_ends_the_loop) {
  for (int threads = 1; threads <= 4; ++threads)
    for (const Index thrower : {0, 3, 99}) {
      std::atomic<int> done{0};
      CHECK_THROWS(std::domain_error, parallel_for(100'000, threads, [&](Index chunk) {
                     ++done;
                     if (chunk == thrower) throw std::domain_error("chunk");
                     if (chunk > thrower) rest();
                   }));
      CHECK(done < 100'000);
      CHECK(each_once(counts_of(50, threads)));
    }
}

TEST(pool_carries_back_one_of_many_exceptions) {
  for (int threads = 1; threads <= 4; ++threads)
    CHECK_THROWS(std::domain_error, parallel_for(50, threads, [](Index) { throw std::domain_error("each"); }));
}

TEST(pool_runs_a_nested_call_inline) {
  std::vector<std::atomic<int>> counts(40 * 10);
  std::atomic<bool> strayed{false};
  parallel_for(40, 4, [&](Index outer) {
    const std::thread::id here = std::this_thread::get_id();
    parallel_for(10, 4, [&](Index inner) {
      if (std::this_thread::get_id() != here) strayed = true;
      ++counts[at(outer * 10 + inner)];
    });
  });
  CHECK(!strayed);
  CHECK(each_once({counts.begin(), counts.end()}));
}

TEST(pool_serves_two_callers_at_once) {
  std::atomic<bool> right{true};
  const auto caller = [&] {
    for (int again = 0; again < 200; ++again)
      if (!each_once(counts_of(64, 3))) right = false;
  };
  std::thread other(caller);
  caller();
  other.join();
  CHECK(right);
}

TEST(pool_polls_the_stop_on_the_calling_thread_only) {
  for (int threads = 1; threads <= 3; threads += 2) {
    Stop stop(0, 1, nullptr);
    CHECK_THROWS(Stopped, parallel_for(1000, threads, [](Index) { rest(); }, &stop));
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> reports{0};
  std::atomic<bool> strayed{false};
  Stop stop(1e9, 1, [&](const Progress&) {
    if (std::this_thread::get_id() != caller) strayed = true;
    ++reports;
    return true;
  });
  parallel_for(450, 3, [](Index) { rest(); }, &stop);
  CHECK(reports > 0 && !strayed);
}

TEST(pool_polls_the_stop_while_it_waits_for_others) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> other_at_work{false};
  int reports = 0;
  Stop stop(1e9, 1, [&](const Progress&) {
    ++reports;
    return true;
  });
  parallel_for(
      2, 2,
      [&](Index) {
        if (std::this_thread::get_id() == caller)
          for (int k = 0; k < 5000 && !other_at_work; ++k) rest();
        else
          for (int k = other_at_work = true; k < 400; ++k) rest();
      },
      &stop);
  CHECK(reports >= 2);
}

TEST(pool_bodies_that_poll_end_with_the_loop) {
  for (int threads = 1; threads <= 3; threads += 2) {
    Stop stop(0.02, 1, nullptr);
    std::atomic<int> ended{0};
    const auto endless = [&](Index) {
      try {
        for (;;) {
          rest();
          poll_inside();
        }
      } catch (const Stopped&) {
        ++ended;
        throw;
      }
    };
    try {
      parallel_for(threads, threads, endless, &stop);
      CHECK(false);
    } catch (const Stopped& stopped) {
      CHECK(stopped.status == Status::time_limit);
    }
    CHECK(ended >= 1);
  }
  poll_inside();  // there is nothing to end
}

TEST(pool_bodies_within_bodies_poll_what_is_around_them) {
  Stop stop(0, 1, nullptr);
  bool is_polled = false;
  const auto inner = [&](Index) {
    try {
      poll_inside();
    } catch (const Stopped&) {
      is_polled = true;
    }
  };
  CHECK_THROWS(Stopped, parallel_for(1, 1, [&](Index) { parallel_for(1, 1, inner); }, &stop));
  CHECK(is_polled);
}

TEST(pool_works_in_a_forked_child) {
  CHECK(each_once(counts_of(100, 3)));  // the parent has workers, which the child lacks
  std::cout << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for workers it does not have would wait for ever
    const bool right = each_once(counts_of(100, 3)) && shares_chunks(3);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(each_once(counts_of(100, 3)));
}
