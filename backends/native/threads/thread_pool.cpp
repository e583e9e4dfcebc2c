// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/thread_pool.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "backends/host/pinned_scope.h"

namespace fuselab::cpu {
namespace {

constexpr int kSpins = 4000;  // some 20 µs: longer than a launch's gap, shorter than a time slice
constexpr std::uint32_t kAllAnswer = 1, kNextLaunch = 2;
constexpr double kLateNs = 50'000;  // a part that takes half as long again and this has lost its processor
constexpr int kLook = 32;           // spins between two looks at the clock

#if defined(__x86_64__)
void relax() {
  _mm_pause();
}
#else
void relax() {}
#endif

std::uint64_t run_of(std::uint32_t launch, int first, int end) {
  return std::uint64_t{launch} << 32 | static_cast<std::uint64_t>(first) << 16 | static_cast<std::uint64_t>(end);
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Moves a thread to a processor, at once where it waits for one.
void move_thread(int tid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  ::sched_setaffinity(tid, sizeof set, &set);  // where that is forbidden the thread stays
}

}  // namespace

ThreadPool::ThreadPool(std::vector<int> cpus) : seats_(cpus.size()) {
  for (std::size_t i = 0; i < cpus.size(); ++i) seats_[i].cpu.store(cpus[i]);
  for (int i = 1; i < size(); ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  launch_.fetch_add(kNextLaunch);
  launch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint32_t ThreadPool::await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, bool spin) {
  for (int i = 0; spin && i < kSpins; ++i) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

void ThreadPool::sit(int index) {
  host::pin_thread({seats_[static_cast<std::size_t>(index)].cpu.load()});
}

void ThreadPool::serve(int index) {
  Seat& seat = seats_[static_cast<std::size_t>(index)];
  seat.tid.store(static_cast<int>(::syscall(SYS_gettid)));
  int sits_on = seat.cpu.load();
  sit(index);
  host::keep_denormals();
  std::uint32_t seen = 0;
  bool spin = true;
  while (true) {
    seen = await_change(launch_, seen, spin);
    spin = true;
    if (stopping_.load()) return;
    const int cpu = seat.cpu.load();
    if (cpu != sits_on || seat.away.exchange(false)) sit(index);
    sits_on = cpu;
    if ((seen & kAllAnswer) == 0) {
      // The kernel has memory for the active threads alone.
      if (index >= active_.load(std::memory_order_relaxed)) continue;
      spin = !work_off(index, seen);
      while (helping_.load()) relax();  // this thread may be the one that is moved
      if (seat.away.exchange(false)) sit(index);
      continue;
    }
    // Every thread answers, also those without work: the next launch may then change what they look at.
    if (index < active_.load(std::memory_order_relaxed)) (*work_.load(std::memory_order_relaxed))(index);
    finish_part();
  }
}

void ThreadPool::finish_part() {
  if (remaining_.fetch_sub(1) == 1) remaining_.notify_one();
}

void ThreadPool::run(int threads, const std::function<void(int)>& work) {
  const int active = std::clamp(threads, 1, size());
  if (active == 1) {
    work(0);
    return;
  }
  work_.store(&work, std::memory_order_relaxed);
  active_.store(active, std::memory_order_relaxed);
  remaining_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  launch_.store((launch_.load(std::memory_order_relaxed) + kNextLaunch) | kAllAnswer, std::memory_order_release);
  launch_.notify_all();
  work(0);
  for (std::uint32_t left = remaining_.load(std::memory_order_acquire); left != 0;) left = await_change(remaining_, left);
}

// Takes the first part of the thread's own run or the last of another one's; -1: nothing of this launch is left of it.
int ThreadPool::take_part(Seat& from, std::uint32_t launch, bool own) {
  std::uint64_t left = from.left.load(std::memory_order_relaxed);
  while (true) {
    const int first = static_cast<int>(left >> 16 & 0xffff), end = static_cast<int>(left & 0xffff);
    // A thread that comes late for a launch of before takes nothing of the present one.
    if (static_cast<std::uint32_t>(left >> 32) != launch || first >= end) return -1;
    const std::uint64_t rest = own ? run_of(launch, first + 1, end) : run_of(launch, first, end - 1);
    // A part that was taken keeps its launch open, and with it the function that is read next.
    if (from.left.compare_exchange_weak(left, rest, std::memory_order_acq_rel, std::memory_order_relaxed))
      return own ? first : end - 1;
  }
}

bool ThreadPool::work_off(int index, std::uint32_t launch) {
  Seat& seat = seats_[static_cast<std::size_t>(index)];
  const double start = now_ns();
  const int active = active_.load(std::memory_order_relaxed);
  int taken = 0;
  for (int i = 0; i < active; ++i) {
    Seat& from = seats_[static_cast<std::size_t>((index + i) % active)];
    while (true) {
      seat.busy.store(true, std::memory_order_relaxed);
      const int part = take_part(from, launch, i == 0);
      if (part < 0) break;
      (*part_work_.load(std::memory_order_relaxed))(index, part);
      ++taken;
      finish_part();
    }
  }
  seat.busy.store(false);  // before it looks whether somebody helps, who looks at this
  return taken > 0 && await_late_parts(index, launch, (now_ns() - start) / taken);
}

bool ThreadPool::await_late_parts(int index, std::uint32_t launch, double part_ns) {
  const double limit = now_ns() + kLateNs + part_ns / 2;
  for (int i = 1;; ++i) {
    if (remaining_.load(std::memory_order_acquire) == 0 || launch_.load(std::memory_order_relaxed) != launch) return false;
    if (i % kLook == 0 && now_ns() > limit) return help_late(index, launch);
    relax();
  }
}

// Moves a late thread to this thread's processor, where it goes on at once. A late caller stays there, and this thread takes the
// other processor for its own: the next launch does not begin on the one that is shared with somebody. Another late thread goes
// back after the launch.
bool ThreadPool::help_late(int index, std::uint32_t launch) {
  if (helping_.exchange(true)) return false;
  // run_parts() returns only while no thread is here, so that it is a thread of this launch that is moved.
  const bool is_over = remaining_.load() == 0 || launch_.load() != launch;
  Seat& own = seats_[static_cast<std::size_t>(index)];
  const auto late = std::find_if(seats_.begin(), seats_.end(),
                                 [&](const Seat& seat) { return &seat != &own && seat.busy.load() && !seat.away.load(); });
  const bool helps = !is_over && late != seats_.end();
  if (helps) {
    const int cpu = own.cpu.load();
    if (late == seats_.begin()) {
      own.cpu.store(late->cpu.load());
      late->cpu.store(cpu);
    } else {
      late->away.store(true);
    }
    move_thread(late->tid.load(), cpu);
    if (late == seats_.begin()) sit(index);
  }
  helping_.store(false);
  return helps;
}

void ThreadPool::run_parts(int threads, int parts, const std::function<void(int, int)>& work) {
  const int active = std::clamp(threads, 1, size());
  if (active == 1) {
    for (int part = 0; part < parts; ++part) work(0, part);
    return;
  }
  Seat& first = seats_.front();
  first.tid.store(static_cast<int>(::syscall(SYS_gettid)), std::memory_order_relaxed);
  const int sat_on = first.cpu.load();
  part_work_.store(&work, std::memory_order_relaxed);
  active_.store(active, std::memory_order_relaxed);
  remaining_.store(static_cast<std::uint32_t>(parts), std::memory_order_relaxed);
  const std::uint32_t launch = (launch_.load(std::memory_order_relaxed) + kNextLaunch) & ~kAllAnswer;
  for (int i = 0; i < active; ++i)
    seats_[static_cast<std::size_t>(i)].left.store(run_of(launch, parts * i / active, parts * (i + 1) / active),
                                                   std::memory_order_release);
  launch_.store(launch, std::memory_order_release);
  launch_.notify_all();
  const bool spin = !work_off(0, launch);
  for (std::uint32_t left = remaining_.load(std::memory_order_acquire); left != 0;) left = await_change(remaining_, left, spin);
  while (helping_.load()) relax();
  if (first.cpu.load() != sat_on) sit(0);
}

}  // namespace fuselab::cpu
