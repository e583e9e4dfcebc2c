// SPDX-License-Identifier: Apache-2.0
#include "app/worker/reference/reference_cache.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/worker/reference/own_tensors.h"
#include "app/worker/reference/reference_file.h"
#include "core/base/content_hash.h"
#include "core/base/version.h"
#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/reference/own_reference.h"
#include "core/reference/special_inputs.h"
#include "embedded/worker/reference_sources.h"

namespace fuselab::worker {
namespace {

constexpr int kFreivaldsRounds = 20;  // a wrong product survives with 2^-20
constexpr std::int64_t kMemoryLimit = std::int64_t{1} << 30;
constexpr Bytes kFileLimit{std::int64_t{1} << 29};  // a longer reference is quicker to compute than to read
constexpr Bytes kFolderLimit{std::int64_t{4} << 30};

std::vector<std::vector<std::byte>> packed_inputs(const Graph& graph, const InputSpec& spec) {
  std::vector<std::vector<std::byte>> packed;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) packed.push_back(make_packed_input(graph, i, spec));
  return packed;
}

// A kernel of the user's own is judged by its reference: another text of the kernel leaves the answer as it is.
ContentHash judged_key(const Graph& graph) {
  const auto own = own_reference(graph);
  if (!own.ok() || !own.value() || !own.value()->graph) return graph_key(graph);
  IdentityHasher hasher("own kernel");
  hasher.add("reference", graph_key(*own.value()->graph)).add("tolerance", own.value()->states_tolerance() ? "stated" : "");
  for (const OwnArgument& argument : own.value()->kernel.arguments) {
    if (argument.is_read()) hasher.add("fill", argument.fill);
  }
  return hasher.finish();
}

}  // namespace

std::string reference_revision() {
  return std::string(tool_version()) + " " + std::string(kReferenceSources);
}

Bytes ReferenceCase::host_bytes() const {
  std::size_t bytes = 0;
  if (product) bytes += static_cast<std::size_t>(product->host_bytes().count);
  for (const auto& input : packed) bytes += input.size();
  for (const ExpectedOutput& output : expected) {
    bytes += (output.values.size() + output.magnitude.size()) * sizeof(double) + output.positions.size() * sizeof(std::int64_t);
  }
  return {static_cast<std::int64_t>(bytes)};
}

std::string ReferenceCache::key_of(const Graph& graph, const InputSpec& spec) const {
  return IdentityHasher("reference")
      .add("graph", judged_key(graph))
      .add("pattern", name_of(spec.pattern))
      .add("seed", std::to_string(spec.seed))
      .add("format", kReferenceFormat)
      .add("revision", revision_)
      .finish()
      .hex();
}

bool ReferenceCache::holds(const Graph& graph, const InputSpec& spec) const {
  const std::string key = key_of(graph, spec);
  for (const Entry& entry : recent_) {
    if (entry.key == key) return entry.held->is_complete;
  }
  return false;
}

std::shared_ptr<const ReferenceCase> ReferenceCache::recall(const std::string& key) {
  const auto entry = std::ranges::find(recent_, key, &Entry::key);
  if (entry == recent_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, entry);
  return recent_.front().held;
}

Result<std::shared_ptr<const ReferenceCase>> ReferenceCache::get(const Graph& graph, const InputSpec& spec) {
  const std::string key = key_of(graph, spec);
  const auto held = recall(key);
  if (held && held->is_complete) return held;
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  FL_TRY(const Cost cost, cost_of(own && own->graph ? *own->graph : graph));
  const bool is_product = cost.flops > kSampledAboveFlops;
  auto made = std::make_shared<ReferenceCase>();
  made->is_complete = true;
  auto known = stored(key, graph);
  if (known && !is_product) {
    made->packed = packed_inputs(graph, spec);
    FL_TRY_VOID(fill_own_inputs(directory_, graph, made->packed));
    made->expected = *std::move(known);
  } else {
    std::vector<RealTensor> inputs = make_inputs(graph, spec);
    for (RealTensor& input : inputs) {
      round_to_dtype(input);  // the reference must see exactly what a kernel sees
      made->packed.push_back(pack(input));
    }
    FL_TRY_VOID(fill_own_inputs(directory_, graph, made->packed));
    for (std::size_t i = 0; own && i < inputs.size(); ++i) {
      FL_TRY(inputs[i], unpack(inputs[i].type, made->packed[i]));
    }
    if (!known) {
      FL_TRY(known, compute(key, graph, inputs, spec));
    }
    made->expected = *std::move(known);
    if (is_product) made->product = FreivaldsCheck::create(graph, inputs, kFreivaldsRounds, spec.seed);
  }
  remember(key, made);
  return std::shared_ptr<const ReferenceCase>(std::move(made));
}

std::shared_ptr<const ReferenceCase> ReferenceCache::inputs_of(const Graph& graph, const InputSpec& spec) {
  const std::string key = key_of(graph, spec);
  if (auto held = recall(key)) return held;
  auto made = std::make_shared<ReferenceCase>();
  made->packed = packed_inputs(graph, spec);
  // What is missing is said by whoever asks for the reference.
  [[maybe_unused]] const Status filled = fill_own_inputs(directory_, graph, made->packed);
  remember(key, made);
  return made;
}

std::optional<std::vector<ExpectedOutput>> ReferenceCache::stored(const std::string& key, const Graph& graph) const {
  if (directory_.empty()) return std::nullopt;
  const Result<std::vector<std::byte>> bytes = platform::read_file(file_of(key), kFileLimit);
  if (!bytes.ok()) return std::nullopt;
  Result<std::vector<ExpectedOutput>> read = parse_reference(bytes.value(), graph);
  if (!read.ok()) return std::nullopt;
  return std::move(read).value();
}

Result<std::vector<ExpectedOutput>> ReferenceCache::compute(const std::string& key, const Graph& graph,
                                                            const std::vector<RealTensor>& inputs, const InputSpec& spec) {
  const auto own = own_reference(graph);
  if (own.ok() && own.value() && own.value()->kernel.reference == kOwnGiven) return given_outputs(directory_, own.value()->kernel);
  if (own.ok() && own.value() && !own.value()->graph)
    return Error{ErrorCode::kUnavailable,
                 "it is compared with its default configuration, which has given no result yet; measure that first"};
  FL_TRY(std::vector<ExpectedOutput> computed, expected_outputs(graph, inputs, spec.seed));
  write(key, computed);
  return computed;
}

std::shared_ptr<const ReferenceCase> ReferenceCache::adopted(std::span<const RealTensor> outputs, const ReferenceCase& inputs) {
  auto made = std::make_shared<ReferenceCase>();
  made->is_complete = true;
  made->packed = inputs.packed;
  for (const RealTensor& output : outputs) {
    ExpectedOutput& each = made->expected.emplace_back();
    each.type = output.type;
    each.values = output.data;
    for (const double value : output.data) each.magnitude.push_back(std::fabs(value));
  }
  return made;
}

void ReferenceCache::keep(const Graph& graph, const InputSpec& spec, std::shared_ptr<const ReferenceCase> made) {
  const std::string key = key_of(graph, spec);
  write(key, made->expected);
  remember(key, std::move(made));
}

void ReferenceCache::write(const std::string& key, const std::vector<ExpectedOutput>& computed) const {
  if (!directory_.empty() && reference_size(computed).count <= kFileLimit.count) {
    make_room(directory_, {kFolderLimit.count - reference_size(computed).count});
    // A cache that cannot be written (full or read-only disk) costs time, nothing else.
    [[maybe_unused]] const Status written = platform::write_file_atomically(file_of(key), reference_bytes(computed));
  }
}

void ReferenceCache::remember(const std::string& key, std::shared_ptr<const ReferenceCase> made) {
  std::erase_if(recent_, [&](const Entry& entry) { return entry.key == key; });  // that had less
  recent_.push_front({key, std::move(made)});
  std::int64_t held = 0;
  for (auto entry = recent_.begin(); entry != recent_.end();) {
    held += entry->held->host_bytes().count;
    entry = held > kMemoryLimit && entry != recent_.begin() ? recent_.erase(entry) : std::next(entry);
  }
}

}  // namespace fuselab::worker
