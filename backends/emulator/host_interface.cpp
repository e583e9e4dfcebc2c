// SPDX-License-Identifier: Apache-2.0
// The other side of resources/kernels/cuda/prelude_host.h, and of the calls that the compiler puts before every access to memory
// (as for its thread sanitizer) and into every block of code (as for its coverage): kernels find all of them in this program.
#include "backends/emulator/host_interface.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace fuselab::simt {
namespace {

constexpr std::int64_t kVectorBytes = 16;  // what one instruction moves at most

BlockRun* run_here = nullptr;
WatchedMemory* memory_here = nullptr;

void touch(const void* address, std::int64_t bytes, bool writes, CodePlace place) {
  if (run_here == nullptr || !run_here->running()) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (run_here->fiber().owns(at)) return;
  memory_here->check(at, bytes, writes, run_here->access(place));
  if (run_here->counts_plain_banks() && memory_here->is_shared(at)) run_here->note_plain(at, bytes, place);
}

void touch_vector(const void* address, std::int64_t bytes, bool writes, CodePlace place) {
  memory_here->check_aligned(reinterpret_cast<std::uintptr_t>(address), std::min<std::int64_t>(bytes, kVectorBytes),
                             run_here->access(place));
  touch(address, bytes, writes, place);
}

}  // namespace

void attach(BlockRun* run, WatchedMemory* memory) {
  run_here = run;
  memory_here = memory;
}

BlockRun& attached_run() {
  return *run_here;
}

WatchedMemory& attached_memory() {
  return *memory_here;
}

}  // namespace fuselab::simt

using namespace fuselab::simt;  // NOLINT(google-build-using-namespace): what follows has C names

#pragma GCC visibility push(default)  // kernels are loaded later and look these up
extern "C" {

int fl_host_thread() {
  return run_here->thread();
}
int fl_host_lanes() {
  return run_here->lanes();
}
int fl_host_block_size() {
  return run_here->threads();
}
long long fl_host_block() {
  return run_here->block();
}
long long fl_host_grid_size() {
  return run_here->blocks();
}
void fl_host_barrier(int line) {
  run_here->barrier(line);
}
unsigned long long fl_host_shuffle(unsigned long long bits, int kind, int operand, int width, int line) {
  return run_here->shuffle(bits, static_cast<ShuffleKind>(kind), operand, width, line);
}
void* fl_host_shared(const char* name, long long element, long long count, long long alignment, int line) {
  return memory_here->shared_array(name, element, count, alignment, line, -1, run_here->rank());
}
void* fl_host_dynamic_shared(const char* name, long long element, long long count, long long alignment, long long offset,
                             int line) {
  return memory_here->shared_array(name, element, count, alignment, line, offset, run_here->rank());
}
unsigned long long fl_host_nanoseconds() {
  return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}
void fl_host_pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
void fl_host_load(void* to, const void* from, long long bytes, int readonly) {
  const auto place = reinterpret_cast<CodePlace>(__builtin_return_address(0));
  touch_vector(from, bytes, false, place);
  if (readonly != 0) memory_here->check_readonly(reinterpret_cast<std::uintptr_t>(from), bytes, run_here->access(place));
  __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
}
void fl_host_store(void* to, const void* from, long long bytes) {
  touch_vector(to, bytes, true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
  __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
}
void fl_host_copy_async(void* shared, const void* global, int bytes, int line) {
  run_here->copy_async({reinterpret_cast<std::uintptr_t>(shared), reinterpret_cast<std::uintptr_t>(global), bytes, bytes}, line);
}
void fl_host_copy_commit() {
  run_here->commit_copies();
}
void fl_host_copy_wait(int newest, int line) {
  run_here->wait_copies(newest, line);
}

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
void __sanitizer_cov_trace_pc() {
  if (run_here != nullptr && run_here->running()) run_here->step();
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define FL_ACCESS(suffix, bytes)                                                       \
  void __tsan_read##suffix(void* at) {                                                 \
    touch(at, bytes, false, reinterpret_cast<CodePlace>(__builtin_return_address(0))); \
  }                                                                                    \
  void __tsan_write##suffix(void* at) {                                                \
    touch(at, bytes, true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));  \
  }
FL_ACCESS(1, 1)
FL_ACCESS(2, 2)
FL_ACCESS(4, 4)
FL_ACCESS(8, 8)
FL_ACCESS(16, 16)
#undef FL_ACCESS
#define FL_UNALIGNED(bytes)                                                            \
  void __tsan_unaligned_read##bytes(void* at) {                                        \
    touch(at, bytes, false, reinterpret_cast<CodePlace>(__builtin_return_address(0))); \
  }                                                                                    \
  void __tsan_unaligned_write##bytes(void* at) {                                       \
    touch(at, bytes, true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));  \
  }
FL_UNALIGNED(2)
FL_UNALIGNED(4)
FL_UNALIGNED(8)
FL_UNALIGNED(16)
#undef FL_UNALIGNED
void __tsan_read_range(void* at, unsigned long bytes) {
  touch(at, static_cast<std::int64_t>(bytes), false, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
}
void __tsan_write_range(void* at, unsigned long bytes) {
  touch(at, static_cast<std::int64_t>(bytes), true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
}
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  touch(from, static_cast<std::int64_t>(bytes), false, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
  touch(to, static_cast<std::int64_t>(bytes), true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
  return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  touch(to, static_cast<std::int64_t>(bytes), true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
  return __builtin_memset(to, value, bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}
#pragma GCC visibility pop
