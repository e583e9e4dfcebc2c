// SPDX-License-Identifier: Apache-2.0
#include "app/worker/emulation/emulation.h"

#include <algorithm>
#include <limits>

#include "app/worker/emulation/smaller_graph.h"
#include "core/kernel/drawback.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab::worker {
namespace {

constexpr std::int64_t kMostElements = 1 << 19;  // of all tensors: seconds on the emulator
constexpr std::uint64_t kSeed = 1;

std::int64_t elements_of(const Graph& graph) {
  std::int64_t sum = 0;
  for (const Value& value : graph.values()) {
    const auto count = element_count(value.type.shape);
    sum += count.ok() ? count.value() : kMostElements;
  }
  return sum;
}

std::string inputs_text(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.inputs()) {
    std::string extents;
    for (const Dim& dim : graph.type(id).shape) extents += (extents.empty() ? "" : ",") + dim.text();
    text +=
        (text.empty() ? "" : ", ") + graph.value(id).name + ": " + std::string(name_of(graph.type(id).dtype)) + "[" + extents + "]";
  }
  return text;
}

// A configuration of other parameters is one of another family, whose text would not show anything about the original's.
bool same_family(const LaunchConfig& a, const LaunchConfig& b) {
  return a.values().size() == b.values().size() &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

// A text with inputs of one pattern after the other.
struct Trial {
  const Graph& graph;
  const SourceModule& source;
  Drawbacks drawbacks;
  KernelEmulator& emulator;

  bool depends_on(InputPattern pattern) const {
    const auto& inputs = graph.inputs();
    return is_judged(pattern, drawbacks) &&
           std::any_of(inputs.begin(), inputs.end(), [this](ValueId input) { return depends_on_pattern(graph, input); });
  }

  // What the emulator finds wrong itself has not passed.
  Result<Verification> run(const InputSpec& spec, std::uint64_t order) const {
    std::vector<RealTensor> inputs = make_inputs(graph, spec);
    std::vector<std::vector<std::byte>> packed;
    for (RealTensor& input : inputs) {
      round_to_dtype(input);
      packed.push_back(pack(input));
    }
    const auto outputs = emulator.run(source, packed, order);
    if (!outputs.ok() && outputs.error().code != ErrorCode::kNumerics) return outputs.error();
    if (!outputs.ok()) {
      Verification wrong;
      wrong.worst_ratio = std::numeric_limits<double>::max();
      wrong.detail = outputs.error().message;
      return wrong;
    }
    FL_TRY(const auto expected, expected_outputs(graph, inputs, spec.seed));
    std::vector<RealTensor> actual;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      FL_TRY(RealTensor tensor, unpack(graph.type(graph.outputs()[i]), outputs.value()[i]));
      actual.push_back(std::move(tensor));
    }
    return compare_outputs(graph, expected, actual, drawbacks, spec.pattern);
  }
};

}  // namespace

Result<wire::EmulateReply> emulate(FusionBackend& backend, const Graph& graph, const Target& target) {
  CodeGenerator* const generator = backend.generator();
  KernelEmulator* const emulator = backend.emulator();
  if (generator == nullptr || emulator == nullptr)
    return Error{ErrorCode::kUnsupported, "backend '" + std::string(backend.id()) + "' has no emulator"};
  if (const Availability usable = emulator->probe(); !usable.usable) return Error{ErrorCode::kUnavailable, usable.reason};
  if (const Support support = generator->supports(graph, target); !support.yes)
    return Error{ErrorCode::kUnsupported, support.why_not};
  const LaunchConfig original = generator->default_config(graph, target);
  const Graph small = smaller_graph(graph, [&](const Graph& tried) {
    return generator->supports(tried, target).yes && same_family(generator->default_config(tried, target), original);
  });
  wire::EmulateReply reply;
  reply.extents = inputs_text(small);
  if (elements_of(small) > kMostElements)
    return Error{ErrorCode::kUnsupported, "even reduced the tensors are too large for the emulator (" + reply.extents + ")"};
  const LaunchConfig config = generator->default_config(small, target);
  FL_TRY(const SourceModule source, generator->generate(small, config, target));
  const Trial trial{small, source, drawbacks_of(config), *emulator};
  for (const std::uint64_t order : {1, 2}) {
    FL_TRY(const Verification found, trial.run({InputPattern::kUniform, kSeed}, order));
    if (!found.passed && only_unjudged(found)) return Error{ErrorCode::kUnsupported, found.detail};
    reply.matched = found.passed;
    reply.detail = found.detail;
    if (!reply.matched) return reply;
  }
  for (const InputPattern pattern : kSpecialPatterns) {
    if (!trial.depends_on(pattern)) continue;
    FL_TRY(const Verification found, trial.run({pattern, kSeed}, 1));
    reply.matched = found.passed || only_unjudged(found);
    if (!reply.matched) reply.detail = std::string(name_of(pattern)) + " inputs: " + found.detail;
    if (!reply.matched) return reply;
  }
  return reply;
}

}  // namespace fuselab::worker
