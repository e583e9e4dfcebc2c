// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/attention_units.h"

#include <algorithm>
#include <cmath>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "core/kernel/cuda_features.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kStep = 16;            // elements of a step of depth, and what vectors are padded to
constexpr std::int64_t kEighth = 8;           // elements of vectors come in as many
constexpr std::int64_t kLongestVector = 256;  // more would not stay in registers
constexpr std::int64_t kMost = std::int64_t{1} << 30;
constexpr std::int64_t kReservedBytes = 1024;  // of a block's shared memory, by the system

DType type_of(const Graph& graph, const AttentionOperand& operand) {
  return graph.type(graph.inputs()[static_cast<std::size_t>(operand.input)]).dtype;
}

// Returns whether every vector of the operand begins at a multiple of `part` elements and lies together.
bool lies_in_parts(const AttentionOperand& operand, std::int64_t part) {
  return operand.element == 1 && operand.vector % part == 0 &&
         std::all_of(operand.batches.begin(), operand.batches.end(), [part](std::int64_t stride) { return stride % part == 0; });
}

}  // namespace

Result<AttentionUnits> make_attention_units(const Graph& graph, const Target& target) {
  const auto refused = [](std::string why) { return Error{ErrorCode::kUnsupported, std::move(why)}; };
  if (target.arch != "hip" && !cuda_features(target).warp_products)
    return refused("matrix units need compute capability 8.0 or later");
  FL_TRY(Attention attention, make_attention(graph));
  const Attention& a = attention;
  const DType type = type_of(graph, a.query);
  AttentionUnits units;
  units.unit = find_matrix_unit(type, target);
  if (units.unit == nullptr || !is_floating(type))
    return refused("attention on matrix units takes f32, f16 and bf16, not " + std::string(name_of(type)));
  if (type_of(graph, a.key) != type || type_of(graph, a.value) != type || graph.type(graph.outputs().front()).dtype != type)
    return refused("queries, keys, values and results differ in their types");
  if (a.compute != DType::kF32) return refused("matrix units leave sums in f32");
  for (const std::int64_t size : {a.depth, a.width}) {
    if (size % kEighth != 0 || size > kLongestVector) {
      return refused("vectors of " + std::to_string(size) + " elements; matrix units take multiples of 8 up to " +
                     std::to_string(kLongestVector));
    }
  }
  for (const AttentionOperand* operand : {&a.query, &a.key, &a.value, &a.result}) {
    if (!lies_in_parts(*operand, units.unit->part())) return refused("a vector does not lie in whole parts of 16 bytes");
  }
  if (a.batches() * a.queries * a.keys * a.depth * a.width == 0) return refused("the tensors are empty");
  for (const Value& value : graph.values()) {
    const bool in_memory = !value.producer || &value == &graph.value(graph.outputs().front());
    if (in_memory && element_count(value.type.shape).value() >= kMost)
      return refused("a tensor has more elements than an int counts");
  }
  if (a.batches() * a.queries >= kMost) return refused("there are more queries than an int counts");
  units.mask_hides = a.has_mask && type_of(graph, a.mask) == DType::kBool;
  const bool hides_entirely = !a.has_mask || (units.mask_hides && std::isinf(a.hidden) && a.hidden < 0);
  units.scales_exponent = a.softcap == 0 && a.scale > 0 && hides_entirely;
  units.attention = std::move(attention);
  return units;
}

std::int64_t AttentionUnits::bytes_of_row(std::int64_t elements) const {
  const std::int64_t parts = ceil_div(elements, kStep) * (kStep / unit->part());
  return (parts % 8 == 0 ? parts : parts + 1) * 16;
}

std::int64_t AttentionUnits::bytes_of_key() const {
  return bytes_of_row(attention.depth) + bytes_of_row(attention.width);
}

Support have_room(std::int64_t bytes, const Target& target) {
  if (bytes <= limit_of(target, "shared_optin_bytes", 48 << 10)) return {};
  return Support::no("not even the smallest tiles of such vectors fit a block's shared memory");
}

void add_resource_rules(ParameterSpace& space, const std::string& shared, const std::string& registers, const std::string& threads,
                        const Target& target) {
  const auto limit = [&](const char* name, std::int64_t otherwise) { return std::to_string(limit_of(target, name, otherwise)); };
  add_rule(space, shared + " <= " + limit("shared_optin_bytes", 48 << 10),
           "the tiles do not fit the shared memory that a block may ask for");
  add_rule(space,
           "min_blocks * (" + shared + " + " + std::to_string(kReservedBytes) + ") <= " + limit("shared_per_sm_bytes", 64 << 10),
           "the blocks' tiles do not fit a multiprocessor's shared memory");
  add_rule(space, registers + " <= " + limit("registers_per_thread", 255), "scores and results would not stay in registers");
  add_rule(space, "(" + registers + ") * (" + threads + ") * min_blocks <= " + limit("registers_per_sm", 64 << 10),
           "the blocks' registers do not fit a multiprocessor");
}

}  // namespace fuselab::codegen
