// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/reference/freivalds.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab::worker {

// The reference for a graph on one set of inputs: the inputs as a kernel sees them and the expected outputs.
struct ReferenceCase {
  std::vector<std::vector<std::byte>> packed;  // one per graph input
  bool is_complete = false;                    // false: all that follows is left out
  std::vector<ExpectedOutput> expected;        // one per graph output
  std::optional<FreivaldsCheck> product;       // where `expected` is a sample and the check applies
  Bytes host_bytes() const;
};

// Returns a text that changes with the tool's version and with every source that affects the reference's results, so that a stored
// answer from before a fix is never used after it.
std::string reference_revision();

// Computes the float64 reference once per (graph, inputs) and keeps it in memory for the next plans and on disk for the next
// process. Files are checksummed and written atomically; a damaged or foreign one is computed again. Used by one thread.
class ReferenceCache {
 public:
  // An empty directory means memory only. Files of another revision are never read.
  explicit ReferenceCache(std::filesystem::path directory, std::string revision = reference_revision())
      : directory_(std::move(directory)), revision_(std::move(revision)) {}

  Result<std::shared_ptr<const ReferenceCase>> get(const Graph& graph, const InputSpec& spec);
  // Returns the inputs, and the rest where it is already in memory; for plans whose outputs are known.
  std::shared_ptr<const ReferenceCase> inputs_of(const Graph& graph, const InputSpec& spec);
  // Returns outputs as a reference, beside the inputs that they were computed from: those of the default configuration of a kernel
  // that has no other reference.
  static std::shared_ptr<const ReferenceCase> adopted(std::span<const RealTensor> outputs, const ReferenceCase& inputs);
  // Takes a reference to be right from now on, in this process and the next.
  void keep(const Graph& graph, const InputSpec& spec, std::shared_ptr<const ReferenceCase> made);
  bool holds(const Graph& graph, const InputSpec& spec) const;  // in memory

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const ReferenceCase> held;
  };
  std::shared_ptr<const ReferenceCase> recall(const std::string& key);
  std::optional<std::vector<ExpectedOutput>> stored(const std::string& key, const Graph& graph) const;
  Result<std::vector<ExpectedOutput>> compute(const std::string& key, const Graph& graph, const std::vector<RealTensor>& inputs,
                                              const InputSpec& spec);
  void write(const std::string& key, const std::vector<ExpectedOutput>& computed) const;
  std::string key_of(const Graph& graph, const InputSpec& spec) const;
  std::filesystem::path file_of(const std::string& key) const { return directory_ / (key + ".ref"); }
  void remember(const std::string& key, std::shared_ptr<const ReferenceCase> made);

  std::filesystem::path directory_;
  std::string revision_;
  std::list<Entry> recent_;  // newest first
};

}  // namespace fuselab::worker
