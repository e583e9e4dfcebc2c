// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/types/shape.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// Writes ONNX models node by node. Weights are RandomNormal nodes with seeds, so that a file of a few kilobytes is a
// whole model that any runtime can execute.
class OnnxWriter {
 public:
  OnnxWriter(const std::string& graph_name, const std::string& description, int opset);

  // Sets the scope that the names of following nodes begin with: "/layer1/0".
  void enter(std::string scope) { scope_ = std::move(scope); }

  std::string input(const std::string& name, const Shape& shape);
  void output(const std::string& name, const Shape& shape);
  // Adds a float weight drawn from a normal distribution.
  std::string weight(const std::string& name, const std::vector<std::int64_t>& shape, double mean, double scale);
  // Adds a variance, drawn from a uniform distribution so that it is never negative.
  std::string positive(const std::string& name, std::int64_t size);
  std::string scalar(const std::string& name, float value);
  std::string integers(const std::string& name, const std::vector<std::int64_t>& values);

  // Adds a node and returns the name of its output; `type` is declared in value_info.
  std::string node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs, const Shape& type);
  // Sets an attribute of the node added last.
  OnnxWriter& with(const std::string& attribute, std::int64_t value);
  OnnxWriter& with(const std::string& attribute, const std::vector<std::int64_t>& values);
  OnnxWriter& with_real(const std::string& attribute, float value);

  Status write(const std::filesystem::path& file) const;

 private:
  GraphProto& graph() { return *model_.mutable_graph(); }
  AttributeProto& attribute(const std::string& name, AttributeProto::AttributeType type);
  static void set_type(ValueInfoProto& info, const std::string& name, const Shape& shape);

  ModelProto model_;
  std::string scope_;
  float next_seed_ = 1;
};

}  // namespace fuselab::onnx
