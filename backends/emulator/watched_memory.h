// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "backends/emulator/clocks.h"
#include "backends/emulator/finding.h"

namespace fuselab::simt {

// The thread that touches memory, and when by its own clock: of a cluster its first block, and threads that are numbered through.
// Two accesses are in order when they are one thread's, or the later one's thread knows of the earlier. Threads of different blocks
// are never in order; shuffles order nothing.
struct Access {
  std::int64_t block = -1;  // -1: nobody yet
  int thread = 0;
  std::uint32_t interval = 0;
  CodePlace place = 0;
};

enum class BufferUse { kRead, kWrite, kReadWrite };

// Every byte that a kernel may touch: the buffers of a launch, and the shared arrays of the block that runs. Checks each access
// for bounds, for elements nobody has written, and for a race with the accesses before it; what it finds it reports.
class WatchedMemory {
 public:
  // Room for shared arrays: what a block may declare statically on every device.
  static constexpr std::int64_t kStaticBytes = 48 * 1024;

  WatchedMemory();
  // By whose clocks accesses are in order, and how its threads are numbered.
  void watch(const Clocks* clocks, int block_threads, int cluster) {
    clocks_ = clocks;
    block_threads_ = block_threads;
    cluster_ = cluster;
  }

  void add_buffer(std::string name, std::uintptr_t begin, std::int64_t bytes, int element, BufferUse use);
  // Constants of the kernel's object file: may be read.
  void add_image(std::uintptr_t begin, std::uintptr_t end);

  // Forgets the shared arrays' contents; their places stay.
  void begin_block();
  // Sets, before a launch begins, what it asks for beside what is declared statically.
  void allow_dynamic(std::int64_t bytes, int cluster = 1, std::int64_t most_static = kStaticBytes);
  // The same array for every thread that asks for this name on this line. With an offset it lies in the launch's own memory; arrays
  // there are asked for in order and do not overlap.
  void* shared_array(const std::string& name, std::int64_t element, std::int64_t count, std::int64_t alignment, int line,
                     std::int64_t offset = -1, int rank = 0);
  // The same element of the same array of another block of the cluster; 0 where that has not asked for it yet.
  std::uintptr_t in_rank(std::uintptr_t address, int rank);
  // The rank of the block in whose shared memory the address lies.
  int rank_of(std::uintptr_t shared) { return find(shared)->rank; }
  bool is_shared(std::uintptr_t address) {
    const Region* const region = find(address);
    return region != nullptr && region->shared;
  }

  void check(std::uintptr_t address, std::int64_t bytes, bool writes, const Access& who);
  // A vector's address is a multiple of its size.
  void check_aligned(std::uintptr_t address, std::int64_t bytes, const Access& who) const;
  // Through the read-only cache: of nothing that this launch may write.
  void check_readonly(std::uintptr_t address, std::int64_t bytes, const Access& who) const;

  // The destination is nobody's until the copy is done: poisoned, and whoever touches it is reported.
  // `valid` bytes are read, the others become zero.
  void begin_copy(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, const Access& who);
  void finish_copy(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, const Access& who);

  // The latest writers of the elements there.
  std::vector<Access> writers(std::uintptr_t address, std::int64_t bytes);

  // Where a block's shared memory begins, as its matrix units count.
  std::uintptr_t shared_base(int rank) const {
    return reinterpret_cast<std::uintptr_t>(slabs_[static_cast<std::size_t>(rank)].bytes.data()) / 1024 * 1024;
  }

  std::string where(std::uintptr_t address) const;  // "12 bytes past the end of x", "element 4 of partial"

 private:
  struct Cell {
    Access write, read, other_read;  // the two latest readers
    Access copy;                     // in flight
  };
  struct Region {
    std::string name;
    std::uintptr_t begin = 0;
    std::int64_t bytes = 0;
    std::int64_t element = 1;
    bool shared = false;
    BufferUse use = BufferUse::kReadWrite;
    std::vector<Cell> cells;  // one per element; none for what is only read
    int rank = 0;             // whose shared array it is
    bool asked = false;       // for it, by a thread of the block that runs
  };

  bool in_order(const Access& before, const Access& now) const;
  std::string who_text(const Access& who) const;
  std::string race_text(const Access& before, bool wrote, const Access& now, bool writes, const std::string& element) const;
  Region* find(std::uintptr_t address);
  const Region* nearest(std::uintptr_t address) const;
  void check_cell(const Region& region, std::int64_t index, Cell& cell, bool writes, const Access& who) const;

  const Clocks* clocks_ = nullptr;
  int block_threads_ = 1;
  int cluster_ = 1;
  std::deque<Region> regions_;
  Region* last_ = nullptr;
  struct Slab {  // the shared memory of one block of a cluster
    std::vector<std::byte> bytes;
    std::int64_t used = 0;         // with the gaps between arrays
    std::int64_t asked = 0;        // without
    std::int64_t dynamic_end = 0;  // of the array that was asked for last
  };
  std::map<std::tuple<std::string, int, int>, Region*> shared_arrays_;
  std::vector<Slab> slabs_;
  std::int64_t dynamic_bytes_ = 0, static_bytes_ = kStaticBytes;
  std::uintptr_t image_begin_ = 0;
  std::uintptr_t image_end_ = 0;
};

}  // namespace fuselab::simt
