// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/attention_skeleton.h"

#include <charconv>
#include <numbers>

#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr IrType kPair{DType::kF32, 2};

// An f32 in CUDA's words.
std::string number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

class AttentionSkeleton {
 public:
  AttentionSkeleton(const Graph& graph, const AttentionUnits& units, const std::vector<KernelParameter>& parameters,
                    std::int64_t keys_at_once)
      : graph_(graph), units_(units), a_(units.attention), parameters_(parameters), keys_at_once_(keys_at_once) {}

  Skeleton made() const;

 private:
  std::string field(const AttentionOperand& operand) const {
    return "in." + parameters_[static_cast<std::size_t>(operand.input)].name;
  }
  std::string pointer(const std::string& name, const std::string& field, bool written) const {
    return std::string("FL_DEVICE ") + (written ? "" : "const ") + "fl_operand* " + name + "(const fl_arguments& in) {\n  return " +
           field + ";\n}";
  }
  DeviceFunction offset(const char* name, const AttentionOperand& operand) const {
    return {name, {{"batch", kIndex}}, kIndex, {}, strided_offset(a_.batch_extents, operand.batches, variable("batch", kIndex))};
  }
  DeviceFunction mask_at() const;
  DeviceFunction scores() const;
  ExprPtr mask(Body& body) const;

  const Graph& graph_;
  const AttentionUnits& units_;
  const Attention& a_;
  const std::vector<KernelParameter>& parameters_;
  std::int64_t keys_at_once_;
};

// Where a query's row of the mask begins.
DeviceFunction AttentionSkeleton::mask_at() const {
  DeviceFunction function{"fl_mask_at", {{"batch", kIndex}, {"query", kIndex}}, kIndex, {}, integer(0)};
  if (a_.has_mask) {
    function.result = strided_offset(a_.batch_extents, a_.mask.batches, variable("batch", kIndex)) +
                      variable("query", kIndex) * integer(a_.mask.vector);
  }
  return function;
}

// The mask of two neighbouring keys, as one register where they lie together.
ExprPtr AttentionSkeleton::mask(Body& body) const {
  BodyBuilder builder(body);
  const DType storage = parameters_[static_cast<std::size_t>(a_.mask.input)].storage;
  const ExprPtr row = variable("mask_at", kIndex), key = variable("key", kIndex);
  const auto none_beyond = [&](const ExprPtr& at, std::int64_t last) {
    return a_.keys % keys_at_once_ == 0 ? at : call("whole_min", kIndex, {at, integer(last)});
  };
  const auto are_even = [](const std::vector<std::int64_t>& strides) {
    for (const std::int64_t stride : strides) {
      if (stride % 2 != 0) return false;
    }
    return true;
  };
  if (a_.mask.element == 1 && a_.keys % 2 == 0 && a_.mask.vector % 2 == 0 && are_even(a_.mask.batches))
    return builder.declare("mask", load(field(a_.mask), row + none_beyond(key, a_.keys - 2), kPair, storage));
  const ExprPtr both = builder.declare_variable("mask", real(0, kPair));
  for (const std::int64_t lane : {0, 1}) {
    const ExprPtr at = none_beyond(key + integer(lane), a_.keys - 1) * integer(a_.mask.element);
    const ExprPtr part = variable("mask.v[" + std::to_string(lane) + "]", {DType::kF32, 1});
    builder.assign(part, load(field(a_.mask), row + at, {DType::kF32, 1}, storage));
  }
  return both;
}

// What the graph makes of the products of a query with two neighbouring keys.
DeviceFunction AttentionSkeleton::scores() const {
  const ExprPtr pair = variable("pair", kPair);
  DeviceFunction function{"fl_scores", {{"mask_at", kIndex}, {"key", kIndex}, {"pair", kPair}}, kPair, {}, pair};
  BodyBuilder builder(function.body);
  if (!units_.scales_exponent) builder.assign(pair, pair * real(a_.scale, kPair));
  if (a_.softcap > 0) {
    const ExprPtr softcap = real(a_.softcap, kPair);
    builder.assign(pair, softcap * call("tanh", kPair, {pair / softcap}));
  }
  if (!a_.has_mask) return function;
  const ExprPtr mask = this->mask(function.body);
  if (units_.mask_hides) {
    const ExprPtr hidden = real(a_.hidden, kPair);
    builder.assign(pair,
                   a_.hides_where_true ? call("where", kPair, {mask, hidden, pair}) : call("where", kPair, {mask, pair, hidden}));
  } else {
    builder.assign(pair, pair + mask);
  }
  return function;
}

Skeleton AttentionSkeleton::made() const {
  Skeleton skeleton;
  skeleton.needs_matrix_units = true;
  skeleton.constants = {{"kQueries", a_.queries},
                        {"kKeys", a_.keys},
                        {"kDepth", a_.depth},
                        {"kWidth", a_.width},
                        {"kCausal", a_.causal},
                        {"kMaskHides", units_.mask_hides},
                        {"kHiddenIsZero", a_.hidden_is_zero}};
  if (!units_.splits()) skeleton.constants.emplace_back("kIsBf16", units_.unit->operand == DType::kBF16);
  const auto pitch = [](const char* name, const AttentionOperand& operand) {
    return "constexpr long long " + std::string(name) + " = " + std::to_string(operand.vector) + ";";
  };
  const double power = std::numbers::log2e * (units_.scales_exponent ? a_.scale : 1.0);
  AttentionOperand result = a_.result;
  result.input = static_cast<int>(graph_.inputs().size());
  skeleton.definitions = {"using fl_operand = " + std::string(units_.unit->operand_word) + ";",
                          "constexpr float kPower = " + number(power) + ";",
                          pitch("kQueryPitch", a_.query),
                          pitch("kKeyPitch", a_.key),
                          pitch("kValuePitch", a_.value),
                          pitch("kResultPitch", a_.result),
                          pointer("fl_queries", field(a_.query), false),
                          pointer("fl_keys", field(a_.key), false),
                          pointer("fl_values", field(a_.value), false),
                          pointer("fl_results", field(result), true)};
  skeleton.functions = {offset("fl_queries_at", a_.query),
                        offset("fl_keys_at", a_.key),
                        offset("fl_values_at", a_.value),
                        offset("fl_results_at", a_.result),
                        mask_at(),
                        scores()};
  return skeleton;
}

}  // namespace

Names names_beside_attention() {
  Names names = simt_names();
  for (const char* each : {"in", "batch", "query", "key", "mask_at", "mask", "pair"}) names.unique(each);
  return names;
}

Skeleton attention_skeleton(const Graph& graph, const AttentionUnits& units, const std::vector<KernelParameter>& parameters,
                            std::int64_t keys_at_once) {
  return AttentionSkeleton(graph, units, parameters, keys_at_once).made();
}

}  // namespace fuselab::codegen
