// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "core/base/as_written.h"
#include "core/import/nodes/operators.h"
#include "core/ops/infer.h"
#include "core/ops/recurrence.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// ONNX Runtime takes these names in any case, and so files have them.
std::string usual_spelling(const std::string& name) {
  static constexpr std::array<std::string_view, 11> kNames = {"Affine",   "Elu",        "HardSigmoid",    "LeakyRelu",
                                                              "Relu",     "ScaledTanh", "Sigmoid",        "Softplus",
                                                              "Softsign", "Tanh",       "ThresholdedRelu"};
  const auto same = [&](std::string_view known) {
    return std::equal(known.begin(), known.end(), name.begin(), name.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  };
  const auto found = std::find_if(kNames.begin(), kNames.end(), same);
  return found == kNames.end() ? std::string() : std::string(*found);
}

std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// The numbers of all activations lie in two lists, from which each that takes one has the next.
class ListedNumbers {
 public:
  explicit ListedNumbers(const AttributeProto* list) : list_(list) {}
  std::optional<double> next() {
    if (list_ == nullptr || next_ >= list_->floats_size()) return std::nullopt;
    return as_written(list_->floats(next_++));
  }

 private:
  const AttributeProto* list_;
  int next_ = 0;
};

// The activations as our operators have them, "" where the node has none; `because` says what is not understood.
std::string activations_text(const NodeImport& node, std::size_t wanted, std::string& because) {
  const AttributeProto* names = node.attribute("activations");
  const bool has_numbers = node.attribute("activation_alpha") != nullptr || node.attribute("activation_beta") != nullptr;
  if (names == nullptr || names->strings_size() == 0) {
    // The usual functions take no numbers.
    if (has_numbers) because = "it has numbers for activations and does not say which";
    return "";
  }
  if (static_cast<std::size_t>(names->strings_size()) != wanted) {
    because = "it has " + std::to_string(names->strings_size()) + " activations, and its directions take " + std::to_string(wanted);
    return "";
  }
  ListedNumbers alphas(node.attribute("activation_alpha")), betas(node.attribute("activation_beta"));
  std::string text;
  for (const std::string& given : names->strings()) {
    const std::string name = usual_spelling(given);
    if (name.empty()) {
      because = "its activation '" + shown(given) + "' is not known";
      return "";
    }
    text += (text.empty() ? "" : " ") + name;
    const int numbers = numbers_of_activation(name).value_or(0);
    const auto alpha = numbers > 0 ? alphas.next() : std::nullopt;
    const auto beta = numbers > 1 ? betas.next() : std::nullopt;
    if (beta && !alpha) {
      because = "its activation '" + name + "' has a beta and no alpha";
      return "";
    }
    if (alpha) text += ":" + number_text(*alpha);
    if (beta) text += ":" + number_text(*beta);
  }
  return text;
}

// The operands of layout 1, which has the sequences first.
bool begins_with_sequences(std::size_t operand) {
  return operand == 0 || operand == 5 || operand == 6;
}

// The node's operands beside those that are left out, and what those that may be are called.
struct PresentOperands {
  std::vector<std::size_t> numbers;
  std::string names;
};
PresentOperands operands_of(const NodeImport& node) {
  static constexpr std::array<std::string_view, 5> kOptional = {"B", "sequence_lens", "initial_h", "initial_c", "P"};
  PresentOperands operands;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    operands.numbers.push_back(i);
    if (i >= 3) operands.names += (operands.names.empty() ? "" : " ") + std::string(kOptional.at(i - 3));
  }
  return operands;
}

Result<ValueId> turned(NodeImport& node, ValueId value, std::vector<std::int64_t> perm) {
  FL_TRY(const NodeId added, node.add(Op::kTranspose, {value}, {{"perm", std::move(perm)}}));
  return node.first_result(added);
}

// Sequences first: Fuselab's own operators have steps first, so what goes in and what comes out is turned.
Result<Translated> sequences_first(NodeImport& node, Op op, const PresentOperands& operands, const Attributes& attributes) {
  std::vector<TensorType> types;
  for (const std::size_t i : operands.numbers) {
    types.push_back(node.type(i));
    if (!begins_with_sequences(i)) continue;
    Shape& shape = types.back().shape;
    if (shape.size() != 3) return Translated::opaque("operand " + std::to_string(i) + " is not of rank 3");
    std::swap(shape[0], shape[1]);
  }
  // Nothing is turned for a node that stays a barrier.
  if (const auto results = infer_types(op, types, attributes); !results.ok()) return Translated::opaque(results.error().message);
  std::vector<ValueId> inputs;
  for (const std::size_t i : operands.numbers) {
    ValueId value = node.value(i);
    if (begins_with_sequences(i)) {
      FL_TRY(value, turned(node, value, {1, 0, 2}));
    }
    inputs.push_back(value);
  }
  FL_TRY(Translated translated, node.emit(op, std::move(inputs), attributes));
  for (std::size_t i = 0; i < translated.values.size(); ++i) {
    if (!node.uses_output(static_cast<int>(i))) continue;
    FL_TRY(translated.values[i],
           turned(node, translated.values[i], i == 0 ? std::vector<std::int64_t>{2, 0, 1, 3} : std::vector<std::int64_t>{1, 0, 2}));
  }
  return translated;
}

Result<Translated> translate_recurrence(NodeImport& node) {
  const Op op = *parse_op(node.op());
  if (node.opset() < 7) return Translated::opaque("what it means at opset " + std::to_string(node.opset()) + " is not known");
  if (node.input_count() > static_cast<std::size_t>(info_of(op).max_inputs))
    return Translated::opaque("it has " + std::to_string(node.input_count()) + " operands");
  const std::string direction = node.text("direction", "forward");
  const std::size_t functions = op == Op::kLSTM ? 3 : op == Op::kGRU ? 2 : 1;
  std::string because;
  const std::string activations = activations_text(node, (direction == "bidirectional" ? 2 : 1) * functions, because);
  if (!because.empty()) return Translated::opaque(because);
  const Shape& r = node.type(2).shape;
  const std::int64_t hidden = node.integer("hidden_size", 0);
  const bool contradicts = hidden != 0 && r.size() == 3 && !r[2].is_symbol() && r[2].extent() != hidden;
  if (contradicts) return invalid_argument("its hidden_size is " + std::to_string(hidden) + ", and R is " + shape_text(r));
  const PresentOperands operands = operands_of(node);
  Attributes attributes = {{"direction", direction}};
  if (!operands.names.empty()) attributes.set("operands", operands.names);
  if (!activations.empty()) attributes.set("activations", activations);
  if (const AttributeProto* clip = node.attribute("clip"); clip != nullptr && clip->f() > 0)
    attributes.set("clip", as_written(clip->f()));
  for (const char* const name : {"input_forget", "linear_before_reset"}) {
    const bool is_its_own = (op == Op::kLSTM) == (std::string_view(name) == "input_forget") && op != Op::kRNN;
    if (is_its_own) attributes.set(name, node.integer(name, 0));
  }
  if (node.integer("layout", 0) == 1) return sequences_first(node, op, operands, attributes);
  if (node.integer("layout", 0) != 0) return Translated::opaque("its layout is neither 0 nor 1");
  std::vector<ValueId> inputs;
  for (const std::size_t i : operands.numbers) inputs.push_back(node.value(i));
  return node.emit(op, std::move(inputs), attributes);
}

}  // namespace

Rows recurrence_rows() {
  static constexpr OperatorRow kRows[] = {
      {"LSTM", translate_recurrence,
       "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i "
       "layout:i@14- output_sequence:i@1-6",
       Operands::gaps_beyond(3)},
      {"GRU", translate_recurrence,
       "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i@14- "
       "linear_before_reset:i@3- output_sequence:i@1-6",
       Operands::gaps_beyond(3)},
      {"RNN", translate_recurrence,
       "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i@14- "
       "output_sequence:i@1-6",
       Operands::gaps_beyond(3)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
