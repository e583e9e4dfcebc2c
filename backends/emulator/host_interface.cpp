// SPDX-License-Identifier: Apache-2.0
// The other side of resources/kernels/cuda/prelude_host.h, and of the calls that the compiler puts before every access to memory
// (as for its thread sanitizer) and into every block of code (as for its coverage): kernels find all of them in this program.
#include "backends/emulator/host_interface.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "backends/emulator/matrix_units.h"

namespace fuselab::simt {
namespace {

constexpr std::int64_t kVectorBytes = 16;  // what one instruction moves at most

BlockRun* attached_run = nullptr;
WatchedMemory* attached_memory = nullptr;

void touch(const void* address, std::int64_t bytes, bool writes, CodePlace place) {
  if (attached_run == nullptr || !attached_run->running()) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (attached_run->fiber().owns(at)) return;
  attached_memory->check(at, bytes, writes, attached_run->access(place));
}

void touch_vector(const void* address, std::int64_t bytes, bool writes, CodePlace place) {
  attached_memory->check_aligned(reinterpret_cast<std::uintptr_t>(address), std::min<std::int64_t>(bytes, kVectorBytes),
                                 attached_run->access(place));
  touch(address, bytes, writes, place);
}

}  // namespace

void attach(BlockRun* run, WatchedMemory* memory) {
  attached_run = run;
  attached_memory = memory;
}

}  // namespace fuselab::simt

using namespace fuselab::simt;  // NOLINT(google-build-using-namespace): what follows has C names

#pragma GCC visibility push(default)  // kernels are loaded later and look these up
extern "C" {

int fl_host_thread() {
  return attached_run->thread();
}
int fl_host_block_size() {
  return attached_run->threads();
}
long long fl_host_block() {
  return attached_run->block();
}
long long fl_host_grid_size() {
  return attached_run->blocks();
}
void fl_host_barrier(int line) {
  attached_run->barrier(line);
}
unsigned long long fl_host_shuffle(unsigned long long bits, int kind, int operand, int width, int line) {
  return attached_run->shuffle(bits, static_cast<ShuffleKind>(kind), operand, width, line);
}
void* fl_host_shared(const char* name, long long element, long long count, long long alignment, int line) {
  return attached_memory->shared_array(name, element, count, alignment, line, -1, attached_run->rank());
}
void* fl_host_dynamic_shared(const char* name, long long element, long long count, long long alignment, long long offset,
                             int line) {
  return attached_memory->shared_array(name, element, count, alignment, line, offset, attached_run->rank());
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
  if (readonly != 0) attached_memory->check_readonly(reinterpret_cast<std::uintptr_t>(from), bytes, attached_run->access(place));
  __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
}
void fl_host_store(void* to, const void* from, long long bytes) {
  touch_vector(to, bytes, true, reinterpret_cast<CodePlace>(__builtin_return_address(0)));
  __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
}
void fl_host_copy_async(void* shared, const void* global, int bytes, int line) {
  attached_run->copy_async(reinterpret_cast<std::uintptr_t>(shared), reinterpret_cast<std::uintptr_t>(global), bytes, bytes, line);
}
void fl_host_copy_async_part(void* shared, const void* global, int bytes, int valid, int line) {
  attached_run->copy_async(reinterpret_cast<std::uintptr_t>(shared), reinterpret_cast<std::uintptr_t>(global), bytes, valid, line);
}
void fl_host_together(int members, Together work, void* mine, int line) {
  attached_run->together(members, work, mine, line);
}
void fl_host_meet(int members) {
  attached_run->meet(members);
}
void fl_host_phase_init(void* barrier, int arrivals, int line) {
  attached_run->phase_init(reinterpret_cast<std::uintptr_t>(barrier), arrivals, line);
}
void fl_host_phase_arrive(void* barrier, int bytes, int line) {
  attached_run->phase_arrive(reinterpret_cast<std::uintptr_t>(barrier), bytes, line);
}
void fl_host_phase_wait(void* barrier, int parity, int line) {
  attached_run->phase_wait(reinterpret_cast<std::uintptr_t>(barrier), parity, line);
}
long long fl_host_shared_base() {
  return static_cast<long long>(attached_memory->shared_base(attached_run->rank()));
}
void fl_host_copy_bytes(void* shared, const void* global, int bytes, void* barrier, int line) {
  std::vector<BlockRun::BoxPart> parts;
  for (int at = 0; at < bytes; at += 16) {
    parts.push_back({reinterpret_cast<std::uintptr_t>(shared) + static_cast<std::uintptr_t>(at),
                     reinterpret_cast<std::uintptr_t>(global) + static_cast<std::uintptr_t>(at), 16, std::min(16, bytes - at)});
  }
  attached_run->copy_box(std::move(parts), reinterpret_cast<std::uintptr_t>(barrier), line);
}
// `map` is what make_tensor_map has written.
void fl_host_copy_box(void* shared, const void* map, int x, int y, int z, void* barrier, int line) {
  attached_run->copy_box(box_parts(reinterpret_cast<std::uintptr_t>(shared), *static_cast<const TensorMap*>(map), x, y, z),
                         reinterpret_cast<std::uintptr_t>(barrier), line);
}
// Of 128 threads, each with `columns` / 2 sums; places as fl_matrix_place makes them.
void fl_host_group_multiply(float* const* sums, int columns, const unsigned* const* registers, unsigned long long a,
                            unsigned long long b, int turned, int keep, int line) {
  attached_run->group_issue(group_product(sums, columns, registers, attached_memory->shared_base(attached_run->leading_rank()), a,
                                          b, turned != 0, keep != 0),
                            line);
}
void fl_host_count_banks(const unsigned long long* rows, int count) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uintptr_t));
  attached_run->count_banks(reinterpret_cast<const std::uintptr_t*>(rows), count);
}
int fl_host_cluster_rank() {
  return attached_run->rank();
}
void fl_host_cluster_barrier(int line) {
  attached_run->barrier_of(0, attached_run->threads() * attached_run->cluster(), line);
}
unsigned long long fl_host_place_in(const void* shared, int rank) {
  return attached_memory->in_rank(reinterpret_cast<std::uintptr_t>(shared), rank);
}
void fl_host_engine_fence() {
  attached_run->engine_fence();
}
void fl_host_store_box(const void* map, int x, int y, const void* shared, int line) {
  std::vector<BlockRun::BoxPart> parts =
      box_parts(reinterpret_cast<std::uintptr_t>(shared), *static_cast<const TensorMap*>(map), x, y, 0);
  for (BlockRun::BoxPart& part : parts) std::swap(part.to, part.from);
  attached_run->store_box(std::move(parts), line);
}
void fl_host_store_wait(int newest) {
  attached_run->wait_stores(newest);
}
void fl_host_barrier_of(int number, int threads, int line) {
  attached_run->barrier_of(number, threads, line);
}
void fl_host_group_commit() {
  attached_run->group_commit();
}
void fl_host_group_wait(int newest) {
  attached_run->group_wait(newest);
}
void fl_host_copy_commit() {
  attached_run->commit_copies();
}
void fl_host_copy_wait(int newest, int line) {
  attached_run->wait_copies(newest, line);
}

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
void __sanitizer_cov_trace_pc() {
  if (attached_run != nullptr && attached_run->running()) attached_run->step();
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
