// SPDX-License-Identifier: Apache-2.0
// The other side of resources/kernels/cuda/matrix/*_host.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backends/emulator/group_product.h"
#include "backends/emulator/host_interface.h"
#include "backends/emulator/tensor_map.h"

namespace fuselab::simt {
namespace {

constexpr std::int64_t kRowBytes = 16;
constexpr std::int64_t kEnginePart = 16;
constexpr std::int64_t kBoxAlignment = 128;
constexpr std::uintptr_t kReach = 1 << 18;  // bytes that the place of a matrix can name

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::vector<CopyPart> parts_of_box(const void* map, int x, int y, int z, const void* shared, int line) {
  BlockRun& run = attached_run();
  attached_memory().check_aligned(number(shared), kBoxAlignment, run.access(static_cast<CodePlace>(line)));
  return box_parts(number(shared), *static_cast<const TensorMap*>(map), {x, y, z, 0, 0});
}

}  // namespace
}  // namespace fuselab::simt

using namespace fuselab::simt;  // NOLINT(google-build-using-namespace): what follows has C names

#pragma GCC visibility push(default)  // kernels are loaded later and look these up
extern "C" {

void fl_host_copy_async_part(void* shared, const void* global, int bytes, int valid, int line) {
  attached_run().copy_async({number(shared), number(global), bytes, valid}, line);
}
void fl_host_together(int members, Together work, void* mine, int line) {
  attached_run().together(members, work, mine, line);
}
void fl_host_meet(int members) {
  attached_run().meet(members);
}
// The row of 16 bytes that a lane names for matrices.
void fl_host_check_row(const void* row, int writes, int line) {
  const Access who = attached_run().access(static_cast<CodePlace>(line));
  attached_memory().check_aligned(number(row), kRowBytes, who);
  attached_memory().check(number(row), kRowBytes, writes != 0, who);
}
// `rows`: one for each of the 32 lanes of a warp.
void fl_host_count_rows(const unsigned long long* rows, int reads, int line) {
  attached_run().count_rows(rows, reads != 0, line);
}

void fl_host_phase_init(void* barrier, int arrivals, int line) {
  attached_run().phase_init(number(barrier), arrivals, line);
}
void fl_host_phase_publish() {
  attached_run().phase_publish();
}
void fl_host_phase_arrive(void* barrier, int bytes, int line) {
  attached_run().phase_arrive(number(barrier), bytes, line);
}
void fl_host_phase_wait(void* barrier, int parity, int line) {
  attached_run().phase_wait(number(barrier), parity, line);
}
void fl_host_barrier_of(int of, int threads, int line) {
  attached_run().barrier_of(of, threads, line);
}

void fl_host_copy_bytes(void* shared, const void* global, int bytes, void* barrier, int line) {
  const Access who = attached_run().access(static_cast<CodePlace>(line));
  for (const void* const each : {const_cast<const void*>(shared), global})
    attached_memory().check_aligned(number(each), kEnginePart, who);
  if (bytes < kEnginePart || bytes % kEnginePart != 0) {
    report("the copy engine is asked for " + std::to_string(bytes) + " bytes" + place_mark(who.place) +
           "; it copies multiples of 16");
  }
  std::vector<CopyPart> parts;
  for (std::int64_t at = 0; at < bytes; at += kEnginePart) {
    const auto offset = static_cast<std::uintptr_t>(at);
    parts.push_back({number(shared) + offset, number(global) + offset, kEnginePart, kEnginePart});
  }
  attached_run().engine_copy(std::move(parts), number(barrier), line);
}
// `map` is a TensorMap.
void fl_host_copy_box(void* shared, const void* map, int x, int y, int z, void* barrier, int line) {
  attached_run().engine_copy(parts_of_box(map, x, y, z, shared, line), number(barrier), line);
}
void fl_host_store_box(const void* map, int x, int y, const void* shared, int line) {
  std::vector<CopyPart> parts = parts_of_box(map, x, y, 0, shared, line);
  for (CopyPart& part : parts) std::swap(part.to, part.from);
  attached_run().engine_store(std::move(parts), line);
}
void fl_host_store_commit() {
  attached_run().commit_stores();
}
void fl_host_store_wait(int newest) {
  attached_run().wait_stores(newest);
}
void fl_host_engine_fence() {
  attached_run().engine_fence();
}

int fl_host_cluster_rank() {
  return attached_run().rank();
}
void fl_host_cluster_barrier(int line) {
  attached_run().cluster_barrier(line);
}
void* fl_host_place_in(const void* shared, int rank, int line) {
  return reinterpret_cast<void*>(attached_run().place_in(number(shared), rank, line));
}

// Bytes from the begin of the block's shared memory.
unsigned long long fl_host_shared_offset(const void* shared) {
  const std::uintptr_t offset = number(shared) - attached_memory().shared_base(attached_run().rank());
  if (offset >= kReach) report_limit("the shared memory of a block with the gaps between its arrays is larger than 256 KiB");
  return offset;
}
void fl_host_group_issue(float* const* sums, int columns, const unsigned* const* registers, unsigned long long a,
                         unsigned long long b, int turned, int keep, int line) {
  BlockRun& run = attached_run();
  const std::uintptr_t base = attached_memory().shared_base(run.leading_rank());
  run.group_issue(group_product({sums, columns, registers, a, b, turned != 0, keep != 0}, base, line), line);
}
void fl_host_group_uneven(int line) {
  report("the threads of a warpgroup name different matrices" + place_mark(static_cast<CodePlace>(line)));
}
void fl_host_group_fence() {
  attached_run().group_fence();
}
void fl_host_group_commit() {
  attached_run().group_commit();
}
void fl_host_group_wait(int newest) {
  attached_run().group_wait(newest);
}
}
#pragma GCC visibility pop
