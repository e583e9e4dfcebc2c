// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/prepared_inputs.h"

#include <cstring>

namespace fuselab::cpu {

Result<PreparedInputs> PreparedInputs::create(const LoadedModule& module, const Preparation& preparation) {
  PreparedInputs prepared;
  if (preparation.entry.empty()) return prepared;
  prepared.function_ = module.find(preparation.entry);
  if (prepared.function_ == nullptr) return Error{ErrorCode::kCorrupt, "the kernel has no symbol '" + preparation.entry + "'"};
  FL_TRY(prepared.tasks_, preparation.tasks.evaluate({}));
  FL_TRY(prepared.bytes_, preparation.bytes.evaluate({}));
  prepared.inputs_ = preparation.inputs;
  return prepared;
}

Result<std::byte*> PreparedInputs::of(const std::vector<void*>& addresses, const std::vector<std::uint64_t>& versions,
                                      ThreadPool& pool, int threads) {
  std::vector<void*> key;
  for (const int input : inputs_) key.push_back(addresses[static_cast<std::size_t>(input)]);
  auto found = made_.find(key);
  if (found != made_.end() && found->second.versions == versions) return found->second.memory.data();
  if (found == made_.end()) {
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes_}));
    found = made_.emplace(std::move(key), Made{{}, std::move(memory)}).first;
  }
  std::byte* const buffer = found->second.memory.data();
  std::vector<void*> arguments = addresses;
  arguments.push_back(buffer);
  // Each thread touches its part first, so that pages lie near it. Bytes that the function forgets make NaN.
  pool.run(threads, [&](int thread) {
    const std::int64_t first = bytes_ * thread / threads;
    std::memset(buffer + first, 0xFF, static_cast<std::size_t>(bytes_ * (thread + 1) / threads - first));
  });
  pool.run(threads, [&](int thread) {
    const std::int64_t begin = tasks_ * thread / threads;
    const std::int64_t end = tasks_ * (thread + 1) / threads;
    if (begin < end) function_(arguments.data(), nullptr, begin, end);
  });
  if (!found->second.memory.intact()) return Error{ErrorCode::kLaunchFailed, "a kernel's preparation wrote outside its buffer"};
  found->second.versions = versions;
  return buffer;
}

}  // namespace fuselab::cpu
