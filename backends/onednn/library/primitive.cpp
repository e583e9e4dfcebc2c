// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/library/primitive.h"

namespace fuselab::onednn {
namespace {

constexpr std::size_t kLongestName = 256;

class AttributeSet {
 public:
  static Result<Owned<abi::Attributes>> of(const OneDnnLibrary& library, const PrimitiveSpec& spec,
                                           const PrimitiveChoices& choices) {
    const auto& calls = library.calls();
    abi::Attributes made = nullptr;
    FL_TRY_VOID(OneDnnLibrary::check(calls.create_attributes(&made), "making attributes"));
    Owned<abi::Attributes> attributes(made, calls.destroy_attributes);
    if (choices.own_scratch) {
      FL_TRY_VOID(OneDnnLibrary::check(calls.set_scratchpad(made, abi::kScratchpadUser), "choosing the scratch memory"));
    }
    if (spec.post_ops.empty()) return attributes;
    abi::PostOps list = nullptr;
    FL_TRY_VOID(OneDnnLibrary::check(calls.create_post_ops(&list), "making post-ops"));
    const Owned<abi::PostOps> post_ops(list, calls.destroy_post_ops);
    for (const PostOp& step : spec.post_ops) FL_TRY_VOID(append(library, list, step));
    FL_TRY_VOID(OneDnnLibrary::check(calls.set_post_ops(made, list), "setting post-ops"));
    return attributes;
  }

 private:
  static Status append(const OneDnnLibrary& library, abi::PostOps list, const PostOp& step) {
    const std::string what = "the post-op " + std::string(name_of(step.algorithm));
    if (!step.operand) {
      return OneDnnLibrary::check(library.primitives().append_eltwise(list, step.algorithm, step.alpha, step.beta), what);
    }
    FL_TRY(const MemoryDescriptor operand, memory_of(library, step.operand->layout));
    return OneDnnLibrary::check(library.calls().append_binary(list, algorithm_of(step.algorithm), operand.get()), what);
  }
};

// Keeps the descriptions alive while the primitive is described.
struct OfferedOperands {
  std::vector<MemoryDescriptor> held;
  DescribedOperands operands;

  Status offer(const OneDnnLibrary& library, const std::optional<Operand>& operand, bool library_chooses, abi::MemoryDesc& to) {
    if (!operand) return {};
    FL_TRY(MemoryDescriptor made, memory_of(library, operand->layout, library_chooses));
    held.push_back(std::move(made));
    to = held.back().get();
    return {};
  }
};

}  // namespace

Result<MemoryDescriptor> memory_of(const OneDnnLibrary& library, const Layout& layout, bool library_chooses) {
  if (layout.dims.size() > abi::kMaxDims) {
    return Error{ErrorCode::kUnsupported, "oneDNN has no tensor of " + std::to_string(layout.dims.size()) + " dimensions"};
  }
  return library.primitives().memory(layout.dims.empty() ? row_major(layout.dtype, {1}) : layout, library_chooses);
}

Result<DescribedPrimitive> DescribedPrimitive::describe(const OneDnnLibrary& library, const PrimitiveSpec& spec,
                                                        const PrimitiveChoices& choices) {
  FL_TRY(const Owned<abi::Attributes> attributes, AttributeSet::of(library, spec, choices));
  const bool blocked = choices.activations_blocked && spec.kind == PrimitiveKind::kConvolution;
  OfferedOperands offered;
  DescribedOperands& operands = offered.operands;
  FL_TRY_VOID(offered.offer(library, spec.source, blocked, operands.source));
  FL_TRY_VOID(offered.offer(library, spec.weights, choices.weights_packed && spec.constant_weights, operands.weights));
  FL_TRY_VOID(offered.offer(library, spec.bias, false, operands.bias));
  FL_TRY_VOID(offered.offer(library, spec.destination, blocked, operands.destination));
  DescribedPrimitive described(library);
  abi::Description made = nullptr;
  const auto& calls = library.calls();
  const abi::Code status = spec.kind == PrimitiveKind::kReorder
                               ? calls.describe_reorder(&made, operands.source, library.engine(), operands.destination,
                                                        library.engine(), attributes.get())
                               : library.primitives().describe(&made, library.engine(), spec, operands, attributes.get());
  FL_TRY_VOID(OneDnnLibrary::check(status, "oneDNN's " + std::string(name_of(spec.kind))));
  described.description_ = Owned<abi::Description>(made, calls.destroy_description);
  const char* name = nullptr;
  if (calls.query(made, abi::kQueryImplementation, 0, static_cast<void*>(&name)) == abi::kSuccess && name != nullptr) {
    described.implementation_ = std::string(name).substr(0, kLongestName);
  }
  return described;
}

}  // namespace fuselab::onednn
