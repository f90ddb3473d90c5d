#include "mercer/pool.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace mercer {
namespace {

struct Job {
  Job(const std::function<void(Index)>& work, Index count) : body(&work), chunks(count) {}

  const std::function<void(Index)>* body;
  Index chunks;
  std::atomic<Index> next{0};
  std::atomic<bool> cancelled{false};
  std::mutex failure_guard;
  std::exception_ptr failure;

  void fail() {
    const std::lock_guard lock(failure_guard);
    if (!failure) failure = std::current_exception();
    cancelled = true;
  }
};

// Where a thread is: in the body of a job that several work on or of a loop that runs inline, and what it polls there.
struct Place {
  const Job* job = nullptr;
  Stop* stop = nullptr;
};
thread_local Place here;

class Inside {
 public:
  Inside(const Job* job, Stop* stop) : before_(here) { here = {job, stop}; }
  ~Inside() { here = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Place before_;
};

// Loops come in quick succession, and to be woken takes longer than many of them: whoever waits looks out for so long
// before it sleeps.
constexpr std::chrono::microseconds look_out{50};
constexpr int looks = 32;  // between two at the clock

template <class Condition>
void look_out_for(Condition is_so) {
  const auto end = std::chrono::steady_clock::now() + look_out;
  while (!is_so() && std::chrono::steady_clock::now() < end)
    for (int k = 0; k < looks && !is_so(); ++k) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
}

// The caller has nothing left to do but others work on: it still hears of deadlines and signals.
constexpr std::chrono::milliseconds poll_while_waiting{50};

void poll(Job& job, Stop* stop) {
  try {
    if (stop && !job.cancelled) stop->poll();
  } catch (...) {
    job.fail();
  }
}

void work_on(Job& job, Stop* stop) {
  const Inside inside(&job, stop);
  try {
    for (Index chunk; !job.cancelled && (chunk = job.next++) < job.chunks;) {
      (*job.body)(chunk);
      if (stop) stop->poll();
    }
  } catch (...) {
    job.fail();
  }
}

class Pool {
 public:
  // False where the pool is taken by another thread.
  bool run(Job& job, int threads, Stop* stop) {
    const std::unique_lock taken(one_job_at_a_time_, std::try_to_lock);
    if (!taken) return false;
    start_workers(threads - 1);
    {
      const std::lock_guard lock(guard_);
      job_ = &job;
      seats_ = threads - 1;
      ++generation_;
    }
    wake_.notify_all();
    work_on(job, stop);
    look_out_for([this] { return seated_ == 0; });
    std::unique_lock lock(guard_);
    seats_ = 0;
    while (!done_.wait_for(lock, poll_while_waiting, [this] { return seated_ == 0; })) {
      lock.unlock();
      poll(job, stop);
      lock.lock();
    }
    job_ = nullptr;
    return true;
  }

 private:
  void start_workers(int wanted) {
    while (static_cast<int>(workers_.size()) < wanted) workers_.emplace_back([this] { serve(); });
  }

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(guard_);
    for (;;) {
      lock.unlock();
      look_out_for([&] { return generation_ != seen; });
      lock.lock();
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (seats_ == 0) continue;
      --seats_;
      ++seated_;
      Job& job = *job_;
      lock.unlock();
      work_on(job, nullptr);
      lock.lock();
      if (--seated_ == 0) done_.notify_one();
    }
  }

  std::mutex one_job_at_a_time_;
  std::mutex guard_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> workers_;
  Job* job_ = nullptr;
  int seats_ = 0;                // workers that may still join the job
  std::atomic<int> seated_ = 0;  // workers at it
  std::atomic<std::uint64_t> generation_ = 0;
};

// Never destroyed: its threads live as long as the process. A child of fork has none of them, so it starts anew.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
  static std::once_flag registered;
  std::call_once(registered, [] { pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; }); });
  Pool* current = the_pool;
  if (!current) {
    auto* fresh = new Pool;
    if (the_pool.compare_exchange_strong(current, fresh))
      current = fresh;
    else
      delete fresh;
  }
  return *current;
}

}  // namespace

void parallel_for(Index chunks, int threads, const std::function<void(Index)>& body, Stop* stop) {
  if (static_cast<Index>(threads) > chunks) threads = static_cast<int>(chunks);
  Job job(body, chunks);
  if (threads <= 1 || here.job || !pool().run(job, threads, stop)) {
    const Inside inside(here.job, stop ? stop : here.stop);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      body(chunk);
      if (stop) stop->poll();
    }
    return;
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

void poll_inside() {
  if (here.stop) here.stop->poll();
  if (here.job && here.job->cancelled) throw Stopped(Status::interrupted);
}

}  // namespace mercer
