// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/import/onnx_import.h"
#include "onnx_subset.pb.h"

namespace fuselab::testing {

// Builds small models as bytes, also wrong ones.
class ModelMaker {
 public:
  explicit ModelMaker(int opset = 17) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    model_.mutable_graph()->set_name("test");
  }

  onnx::ModelProto& model() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  // Extents as text: "8" is a number, anything else a symbol, "" says nothing.
  static void set_type(onnx::ValueInfoProto& info, const std::string& name, const std::vector<std::string>& extents, int code = 1) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(code);
    tensor.mutable_shape();
    for (const auto& extent : extents) {
      auto& dim = *tensor.mutable_shape()->add_dim();
      const bool number =
          !extent.empty() && (std::isdigit(static_cast<unsigned char>(extent.front())) != 0 || extent.front() == '-');
      if (number) {
        dim.set_dim_value(std::stoll(extent));
      } else if (!extent.empty()) {
        dim.set_dim_param(extent);
      }
    }
  }
  ModelMaker& input(const std::string& name, const std::vector<std::string>& extents, int code = 1) {
    set_type(*graph().add_input(), name, extents, code);
    return *this;
  }
  // Without a type: the file says nothing.
  ModelMaker& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  ModelMaker& output(const std::string& name, const std::vector<std::string>& extents, int code = 1) {
    set_type(*graph().add_output(), name, extents, code);
    return *this;
  }
  ModelMaker& weight(const std::string& name, const std::vector<std::int64_t>& dims) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(1);
    for (auto dim : dims) tensor.add_dims(dim);
    return *this;
  }
  ModelMaker& number(const std::string& name, float value) {
    weight(name, {});
    graph().mutable_initializer(graph().initializer_size() - 1)->add_float_data(value);
    return *this;
  }
  ModelMaker& flag(const std::string& name, bool value) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(9);
    tensor.add_int32_data(value ? 1 : 0);
    return *this;
  }
  ModelMaker& integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(7);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (auto value : values) tensor.add_int64_data(value);
    return *this;
  }
  ModelMaker& reals(const std::string& name, const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
    weight(name, dims);
    for (auto value : values) graph().mutable_initializer(graph().initializer_size() - 1)->add_float_data(value);
    return *this;
  }
  // The node's name is that of its first output with "n_" before it.
  ModelMaker& node(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    auto& added = *graph().add_node();
    added.set_op_type(op);
    added.set_name("n_" + outputs.front());
    for (const auto& name : inputs) added.add_input(name);
    for (const auto& name : outputs) added.add_output(name);
    return *this;
  }
  ModelMaker& with_real(const std::string& name, float value) {
    attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
    return *this;
  }
  ModelMaker& with(const std::string& name, std::int64_t value) {
    auto& added = attribute(name, onnx::AttributeProto::INT);
    added.set_i(value);
    return *this;
  }
  ModelMaker& with_list(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& added = attribute(name, onnx::AttributeProto::INTS);
    for (auto value : values) added.add_ints(value);
    return *this;
  }
  ModelMaker& with_text(const std::string& name, const std::string& value) {
    attribute(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }

  ModelMaker& in_domain(const std::string& domain) {
    graph().mutable_node(graph().node_size() - 1)->set_domain(domain);
    return *this;
  }
  ModelMaker& with_body(const std::string& name, const onnx::GraphProto& body) {
    *attribute(name, onnx::AttributeProto::GRAPH).mutable_g() = body;
    return *this;
  }

  std::string bytes() const { return model_.SerializeAsString(); }
  Result<ImportedModel> import() const { return import_text(bytes()); }
  static Result<ImportedModel> import_text(const std::string& bytes) {
    return import_onnx_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), {});
  }

 private:
  onnx::AttributeProto& attribute(const std::string& name, onnx::AttributeProto::AttributeType type) {
    auto& added = *graph().mutable_node(graph().node_size() - 1)->add_attribute();
    added.set_name(name);
    added.set_type(type);
    return added;
  }

  onnx::ModelProto model_;
};

inline ImportedModel imported(const ModelMaker& maker) {
  auto model = maker.import();
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
  return model.ok() ? std::move(model).value() : ImportedModel();
}

// "Add Relu": the operators of the graph, constants left out.
inline std::string operators_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::kConstant) continue;
    text += (text.empty() ? "" : " ") + (node.op == Op::kOpaque ? "?" + node.opaque_type : std::string(name_of(node.op)));
  }
  return text;
}

inline std::string output_type(const Graph& graph, std::size_t i = 0) {
  return graph.outputs().size() > i ? type_text(graph.type(graph.outputs()[i])) : "none";
}

inline std::string error_of(const ModelMaker& maker) {
  const auto model = maker.import();
  return model.ok() ? "" : model.error().message;
}
inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace fuselab::testing
