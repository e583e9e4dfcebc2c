// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model_maker.h"

namespace fuselab::testing {

// Builds a function of a model.
class FunctionMaker {
 public:
  FunctionMaker(const std::string& domain, const std::string& name, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs, int opset = 17) {
    function_.set_domain(domain);
    function_.set_name(name);
    for (const auto& input : inputs) function_.add_input(input);
    for (const auto& output : outputs) function_.add_output(output);
    function_.add_opset_import()->set_version(opset);
  }

  FunctionMaker& node(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    auto& added = *function_.add_node();
    added.set_op_type(op);
    added.set_name("n_" + outputs.front());
    for (const auto& name : inputs) added.add_input(name);
    for (const auto& name : outputs) added.add_output(name);
    return *this;
  }
  FunctionMaker& in_domain(const std::string& domain) {
    last().set_domain(domain);
    return *this;
  }
  FunctionMaker& with_list(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& added = *last().add_attribute();
    added.set_name(name);
    added.set_type(onnx::AttributeProto::INTS);
    for (auto value : values) added.add_ints(value);
    return *this;
  }
  FunctionMaker& with_body(const std::string& name, const onnx::GraphProto& body) {
    auto& added = *last().add_attribute();
    added.set_name(name);
    added.set_type(onnx::AttributeProto::GRAPH);
    *added.mutable_g() = body;
    return *this;
  }
  // The node's attribute is what the function's call gives.
  FunctionMaker& referring(const std::string& attribute, const std::string& given) {
    auto& added = *last().add_attribute();
    added.set_name(attribute);
    added.set_ref_attr_name(given);
    return *this;
  }
  FunctionMaker& with_default(const std::string& name, std::int64_t value) {
    auto& added = *function_.add_attribute_proto();
    added.set_name(name);
    added.set_type(onnx::AttributeProto::INT);
    added.set_i(value);
    return *this;
  }

  void add_to(ModelMaker& maker) const { *maker.model().add_functions() = function_; }

 private:
  onnx::NodeProto& last() { return *function_.mutable_node(function_.node_size() - 1); }

  onnx::FunctionProto function_;
};

}  // namespace fuselab::testing
