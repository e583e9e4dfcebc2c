// SPDX-License-Identifier: Apache-2.0
#include "core/ops/recurrence.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/result.h"

namespace fuselab {
namespace {

using Kind = Activation::Kind;

struct NamedActivation {
  std::string_view name;
  Kind kind;
  int numbers;
  double alpha, beta;  // where none are written
};
constexpr NamedActivation kActivations[] = {
    {"Affine", Kind::kAffine, 2, 1, 0},
    {"Elu", Kind::kElu, 1, 1, 0},
    {"HardSigmoid", Kind::kHardSigmoid, 2, 0.2, 0.5},
    {"LeakyRelu", Kind::kLeakyRelu, 1, 0.01, 0},
    {"Relu", Kind::kRelu, 0, 0, 0},
    {"ScaledTanh", Kind::kScaledTanh, 2, 1, 1},
    {"Sigmoid", Kind::kSigmoid, 0, 0, 0},
    {"Softplus", Kind::kSoftplus, 0, 0, 0},
    {"Softsign", Kind::kSoftsign, 0, 0, 0},
    {"Tanh", Kind::kTanh, 0, 0, 0},
    {"ThresholdedRelu", Kind::kThresholdedRelu, 1, 1, 0},
};

const NamedActivation* find_activation(std::string_view name) {
  const auto found = std::find_if(std::begin(kActivations), std::end(kActivations),
                                  [&](const NamedActivation& each) { return each.name == name; });
  return found == std::end(kActivations) ? nullptr : &*found;
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// "LeakyRelu:0.02".
Result<Activation> activation_of(std::string_view text) {
  const auto parts = parts_of(text, ':');
  const NamedActivation* named = parts.empty() ? nullptr : find_activation(parts.front());
  if (named == nullptr) return invalid_argument("activation '" + std::string(text) + "' is not known");
  if (parts.size() > static_cast<std::size_t>(named->numbers) + 1)
    return invalid_argument("activation '" + std::string(text) + "' has more numbers than it takes");
  Activation activation{named->kind, named->alpha, named->beta};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    double number = 0;
    const auto read = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), number);
    if (read.ec != std::errc() || read.ptr != parts[i].data() + parts[i].size() || !std::isfinite(number))
      return invalid_argument("activation '" + std::string(text) + "' has something other than finite numbers behind it");
    (i == 1 ? activation.alpha : activation.beta) = number;
  }
  return activation;
}

std::string_view usual_activations(Op op) {
  return op == Op::kLSTM ? "Sigmoid Tanh Tanh" : op == Op::kGRU ? "Sigmoid Tanh" : "Tanh";
}

// ONNX's order; `operands` names some of them in it.
Status name_operands(Recurrence& recurrence, std::string_view names, std::size_t operands) {
  struct Optional {
    std::string_view name;
    std::optional<std::size_t>* place;
    bool of_lstm;
  };
  const Optional kOptional[] = {{"B", &recurrence.bias, false},
                                {"sequence_lens", &recurrence.lengths, false},
                                {"initial_h", &recurrence.initial_h, false},
                                {"initial_c", &recurrence.initial_c, true},
                                {"P", &recurrence.peepholes, true}};
  std::size_t next = 3;
  const Optional* from = std::begin(kOptional);
  for (const std::string_view name : parts_of(names, ' ')) {
    from = std::find_if(from, std::end(kOptional), [&](const Optional& each) { return each.name == name; });
    if (from == std::end(kOptional) || (from->of_lstm && recurrence.op != Op::kLSTM))
      return invalid_argument("operands must be some of \"B sequence_lens initial_h" +
                              std::string(recurrence.op == Op::kLSTM ? " initial_c P" : "") + "\" in this order, got \"" +
                              std::string(names) + "\"");
    *from++->place = next++;
  }
  if (next == operands) return Status();
  return invalid_argument("operands names " + std::to_string(next - 3) + " beside X, W and R, and there are " +
                          std::to_string(operands - 3));
}

}  // namespace

std::optional<int> numbers_of_activation(std::string_view name) {
  const NamedActivation* found = find_activation(name);
  return found == nullptr ? std::nullopt : std::optional(found->numbers);
}

Result<Recurrence> recurrence_of(Op op, const Attributes& attributes, std::size_t operands) {
  Recurrence recurrence;
  recurrence.op = op;
  const std::string direction = attributes.text("direction", "forward");
  if (direction == "forward") recurrence.backwards = {false};
  if (direction == "reverse") recurrence.backwards = {true};
  if (direction == "bidirectional") recurrence.backwards = {false, true};
  if (recurrence.backwards.empty())
    return invalid_argument("direction must be \"forward\", \"reverse\" or \"bidirectional\", got \"" + direction + "\"");
  const std::string written = attributes.text("activations", "");
  // The usual ones of one direction are those of the other, too: the default of the attribute does not say how many there are.
  const bool is_usual = written.empty() || written == usual_activations(op);
  const std::string_view names = is_usual ? usual_activations(op) : std::string_view(written);
  for (const std::string_view name : parts_of(names, ' ')) {
    FL_TRY(const Activation activation, activation_of(name));
    recurrence.activations.push_back(activation);
  }
  if (is_usual && recurrence.directions() == 2) {
    const auto once = recurrence.activations;
    recurrence.activations.insert(recurrence.activations.end(), once.begin(), once.end());
  }
  if (const std::size_t wanted = recurrence.directions() * recurrence.functions(); recurrence.activations.size() != wanted)
    return invalid_argument("needs " + std::to_string(wanted) + " activations, got " +
                            std::to_string(recurrence.activations.size()));
  FL_TRY_VOID(name_operands(recurrence, attributes.text("operands", ""), operands));
  if (attributes.has("clip")) {
    recurrence.clip = attributes.real("clip", 0);
    if (!(*recurrence.clip > 0)) return invalid_argument("clip must be more than 0");
  }
  recurrence.couples_gates = attributes.integer("input_forget", 0) != 0;
  recurrence.linear_before_reset = attributes.integer("linear_before_reset", 0) != 0;
  return recurrence;
}

}  // namespace fuselab
