// SPDX-License-Identifier: Apache-2.0
#include "backends/onnx/onnx_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "backends/onnx/node_form.h"
#include "backends/onnx/wire_writer.h"
#include "core/cost/integer_product.h"
#include "core/tensor/tensor.h"

namespace fuselab::onnx_model {
namespace {

// Numbers of the fields that are written, by message.
namespace model {
constexpr int kIrVersion = 1, kProducer = 2, kGraph = 7, kOperatorSet = 8;
}
namespace operator_set {
constexpr int kVersion = 2;
}
namespace graph_field {
constexpr int kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12;
}
namespace node_field {
constexpr int kInput = 1, kOutput = 2, kName = 3, kType = 4, kAttribute = 5;
}
namespace attribute_field {
constexpr int kName = 1, kReal = 2, kInteger = 3, kText = 4, kReals = 7, kIntegers = 8, kTexts = 9, kType = 20;
}
namespace tensor_field {
constexpr int kDim = 1, kType = 2, kName = 8, kRaw = 9;
}
constexpr int kTypeReal = 1, kTypeInteger = 2, kTypeText = 3, kTypeReals = 6, kTypeIntegers = 7, kTypeTexts = 8;

WireWriter value_info(const std::string& name, const TensorType& type) {
  WireWriter shape;
  for (const std::int64_t extent : extents_of(type.shape)) {
    WireWriter dim;
    dim.integer(1, extent);
    shape.message(1, dim);
  }
  WireWriter tensor;
  tensor.integer(1, type_number(type.dtype));
  tensor.message(2, shape);
  WireWriter types;
  types.message(1, tensor);
  WireWriter info;
  info.text(1, name);
  info.message(2, types);
  return info;
}

WireWriter attribute(const std::string& name, const AttributeValue& value) {
  WireWriter to;
  to.text(attribute_field::kName, name);
  int type = kTypeInteger;
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    to.integer(attribute_field::kInteger, *integer);
  } else if (const auto* const real = std::get_if<double>(&value)) {
    to.real(attribute_field::kReal, static_cast<float>(*real));
    type = kTypeReal;
  } else if (const auto* const text = std::get_if<std::string>(&value)) {
    to.text(attribute_field::kText, *text);
    type = kTypeText;
  } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t each : *integers) to.integer(attribute_field::kIntegers, each);
    type = kTypeIntegers;
  } else {
    for (const double each : std::get<std::vector<double>>(value)) to.real(attribute_field::kReals, static_cast<float>(each));
    type = kTypeReals;
  }
  to.integer(attribute_field::kType, type);
  return to;
}

WireWriter texts_attribute(const std::string& name, const std::vector<std::string>& texts) {
  WireWriter to;
  to.text(attribute_field::kName, name);
  for (const std::string& each : texts) to.text(attribute_field::kTexts, each);
  to.integer(attribute_field::kType, kTypeTexts);
  return to;
}

WireWriter tensor(const std::string& name, const TensorType& type, std::span<const std::byte> bytes) {
  WireWriter to;
  for (const std::int64_t extent : extents_of(type.shape)) to.integer(tensor_field::kDim, extent);
  to.integer(tensor_field::kType, type_number(type.dtype));
  to.text(tensor_field::kName, name);
  to.bytes(tensor_field::kRaw, bytes);
  return to;
}

class Writing {
 public:
  Writing(const Graph& graph, const Weights& weights) : graph_(graph), weights_(weights) {}

  Result<std::string> run() {
    to_.text(graph_field::kName, "piece");
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) names_[graph_.inputs()[i]] = input_name(i);
    name_outputs();
    find_integer_products();
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (read_with_bytes_.contains(static_cast<NodeId>(i))) continue;
      if (const auto product = products_.find(&node); product != products_.end()) {
        write_integer_product(node, product->second);
        continue;
      }
      if (const Status written = write(node); !written.ok()) return written.error().within(name_of(node.op));
    }
    for (const auto& [from, to] : copies_) {
      WireWriter copy;
      copy.text(node_field::kInput, names_.at(from));
      copy.text(node_field::kOutput, to);
      copy.text(node_field::kName, "copy_" + to);
      copy.text(node_field::kType, "Identity");
      to_.message(graph_field::kNode, copy);
    }
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) write_input(i);
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      to_.message(graph_field::kOutput, value_info(output_name(i), graph_.type(graph_.outputs()[i])));
    }
    WireWriter set;
    set.integer(operator_set::kVersion, version_);
    WireWriter whole;
    // The format of the file: 8 is of ONNX 1.13 with operator set 18, 10 of 1.16.
    whole.integer(model::kIrVersion, version_ <= 18 ? 8 : 10);
    whole.text(model::kProducer, "fuselab");
    whole.message(model::kGraph, to_);
    whole.message(model::kOperatorSet, set);
    return whole.data();
  }

 private:
  // ONNX has an operator for a MatMul of i32 with what makes its operands of 8-bit numbers, if nobody else reads what they make.
  void find_integer_products() {
    for (const Node& node : graph_.nodes()) {
      const auto product = integer_product_of(graph_, node);
      if (!product || !has_form(product->a) || !has_form(product->b)) continue;
      const auto inside = [&](NodeId id) {
        const ValueId made = graph_.node(id).outputs.front();
        const auto readers = graph_.consumers(made);
        return !graph_.is_output(made) && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
          return &graph_.node(reader) == &node || std::binary_search(product->makers.begin(), product->makers.end(), reader);
        });
      };
      if (!std::all_of(product->makers.begin(), product->makers.end(), inside)) continue;
      read_with_bytes_.insert(product->makers.begin(), product->makers.end());
      products_.emplace(&node, *product);
    }
  }

  // Several zero points are a list there; and zero points are of the numbers' type.
  bool has_form(const ByteOperand& operand) const {
    const std::int64_t least = operand.dtype == DType::kI8 ? -128 : 0;
    if (!operand.zero) return operand.zero_number >= least && operand.zero_number <= least + 255;
    const TensorType& zero = graph_.type(*operand.zero);
    return zero.dtype == operand.dtype && (zero.shape.empty() || zero.shape.size() == 1);
  }

  void write_integer_product(const Node& node, const IntegerProduct& product) {
    std::vector<std::string> operands = {name_of_value(product.a.bytes), name_of_value(product.b.bytes)};
    for (const ByteOperand* const each : {&product.a, &product.b}) {
      const double number = static_cast<double>(each->zero_number);
      operands.push_back(each->zero ? name_of_value(*each->zero) : each->has_zero() ? hold({each->dtype, {}}, {number}) : "");
    }
    while (operands.back().empty()) operands.pop_back();
    WireWriter written;
    for (const std::string& each : operands) written.text(node_field::kInput, each);
    written.text(node_field::kOutput, name_of_value(node.outputs.front()));
    written.text(node_field::kName, "n" + std::to_string(nodes_++));
    written.text(node_field::kType, "MatMulInteger");
    to_.message(graph_field::kNode, written);
  }

  // An output that is an input, a constant or another output as well becomes a copy, for ONNX makes each name once.
  void name_outputs() {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId value = graph_.outputs()[i];
      const auto& producer = graph_.value(value).producer;
      const bool computed = producer && graph_.node(*producer).op != Op::kConstant;
      if (computed && !names_.contains(value)) {
        names_[value] = output_name(i);
      } else {
        copies_.emplace_back(value, output_name(i));
      }
    }
  }

  void write_input(std::size_t position) {
    const TensorType& type = graph_.type(graph_.inputs()[position]);
    if (position < weights_.size() && !weights_[position].empty()) {
      to_.message(graph_field::kInitializer, tensor(input_name(position), type, weights_[position]));
    } else {
      to_.message(graph_field::kInput, value_info(input_name(position), type));
    }
  }

  std::string name_of_value(ValueId value) {
    const auto [place, added] = names_.try_emplace(value, "");
    if (added) place->second = "v" + std::to_string(index_of(value));
    return place->second;
  }

  std::string hold(const TensorType& type, const std::vector<double>& numbers) {
    std::string name = "c" + std::to_string(held_++);
    to_.message(graph_field::kInitializer, tensor(name, type, pack(RealTensor{type, numbers})));
    return name;
  }

  std::string operand(const FormOperand& given) {
    switch (given.kind) {
      case FormOperand::Kind::kValue: return name_of_value(given.value);
      case FormOperand::Kind::kNumber: return hold({given.dtype, {}}, {given.number});
      case FormOperand::Kind::kIntegers: {
        // Whole numbers beyond 2^53 ("to the end") are not exact as float64, so that these are written as they are.
        const Shape shape = given.is_scalar ? Shape{} : Shape{static_cast<std::int64_t>(given.integers.size())};
        std::string name = "c" + std::to_string(held_++);
        to_.message(graph_field::kInitializer, tensor(name, {DType::kI64, shape}, std::as_bytes(std::span(given.integers))));
        return name;
      }
      case FormOperand::Kind::kAbsent: break;
    }
    return "";
  }

  Status write(const Node& node) {
    if (node.op == Op::kConstant) {
      const TensorType& type = graph_.type(node.outputs.front());
      names_[node.outputs.front()] = hold(type, {node.attributes.real("value", 0)});
      return {};
    }
    FL_TRY(const NodeForm form, form_of(graph_, node));
    version_ = std::max(version_, least_version(node.op));
    WireWriter written;
    for (const FormOperand& each : form.operands) written.text(node_field::kInput, operand(each));
    for (const ValueId output : node.outputs) written.text(node_field::kOutput, name_of_value(output));
    written.text(node_field::kName, "n" + std::to_string(nodes_++));
    written.text(node_field::kType, name_of(node.op));
    for (const auto& [name, value] : form.attributes.values()) written.message(node_field::kAttribute, attribute(name, value));
    if (!form.texts.empty()) written.message(node_field::kAttribute, texts_attribute("activations", form.texts));
    to_.message(graph_field::kNode, written);
    return {};
  }

  const Graph& graph_;
  const Weights& weights_;
  WireWriter to_;
  int version_ = 18;
  int held_ = 0;
  int nodes_ = 0;
  std::map<const Node*, IntegerProduct> products_;
  std::set<NodeId> read_with_bytes_;  // the operators that make their operands
  std::map<ValueId, std::string> names_;
  std::vector<std::pair<ValueId, std::string>> copies_;
};

}  // namespace

std::string input_name(std::size_t position) {
  return "i" + std::to_string(position);
}

std::string output_name(std::size_t position) {
  return "o" + std::to_string(position);
}

int type_number(DType dtype) {
  switch (dtype) {
    case DType::kF32: return 1;
    case DType::kU8: return 2;
    case DType::kI8: return 3;
    case DType::kU16: return 4;
    case DType::kI16: return 5;
    case DType::kI32: return 6;
    case DType::kI64: return 7;
    case DType::kBool: return 9;
    case DType::kF16: return 10;
    case DType::kF64: return 11;
    case DType::kU32: return 12;
    case DType::kU64: return 13;
    case DType::kBF16: return 16;
    case DType::kF8E4M3: return 17;
    case DType::kF8E5M2: return 19;
    case DType::kU4: return 21;
    case DType::kI4: return 22;
  }
  return 0;
}

Result<std::string> write_onnx(const Graph& graph, const Weights& weights) {
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols");
  return Writing(graph, weights).run();
}

}  // namespace fuselab::onnx_model
