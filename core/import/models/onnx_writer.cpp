// SPDX-License-Identifier: Apache-2.0
#include "core/import/models/onnx_writer.h"

#include <fstream>

namespace fuselab::onnx {
namespace {

constexpr int kFloat = 1;  // TensorProto.DataType
constexpr int kInt64 = 7;
constexpr int kIrVersion = 8;  // of ONNX 1.13, the first with opset 18

}  // namespace

OnnxWriter::OnnxWriter(const std::string& graph_name, const std::string& description, int opset) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("fuselab");
  model_.add_opset_import()->set_version(opset);
  graph().set_name(graph_name);
  graph().set_doc_string(description);
}

void OnnxWriter::set_type(ValueInfoProto& info, const std::string& name, const Shape& shape) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(kFloat);
  auto& dims = *tensor.mutable_shape();
  for (const Dim& dim : shape) {
    if (dim.is_symbol()) {
      dims.add_dim()->set_dim_param(dim.name());
    } else {
      dims.add_dim()->set_dim_value(dim.extent());
    }
  }
}

std::string OnnxWriter::input(const std::string& name, const Shape& shape) {
  set_type(*graph().add_input(), name, shape);
  return name;
}

void OnnxWriter::output(const std::string& name, const Shape& shape) {
  set_type(*graph().add_output(), name, shape);
  // An output's type is declared with the output, not a second time in value_info.
  auto& infos = *graph().mutable_value_info();
  for (int i = 0; i < infos.size(); ++i) {
    if (infos.Get(i).name() != name) continue;
    infos.DeleteSubrange(i, 1);
    break;
  }
}

AttributeProto& OnnxWriter::attribute(const std::string& name, AttributeProto::AttributeType type) {
  auto& added = *graph().mutable_node(graph().node_size() - 1)->add_attribute();
  added.set_name(name);
  added.set_type(type);
  return added;
}

OnnxWriter& OnnxWriter::with(const std::string& name, std::int64_t value) {
  attribute(name, AttributeProto::INT).set_i(value);
  return *this;
}

OnnxWriter& OnnxWriter::with(const std::string& name, const std::vector<std::int64_t>& values) {
  auto& added = attribute(name, AttributeProto::INTS);
  for (std::int64_t value : values) added.add_ints(value);
  return *this;
}

OnnxWriter& OnnxWriter::with_real(const std::string& name, float value) {
  attribute(name, AttributeProto::FLOAT).set_f(value);
  return *this;
}

std::string OnnxWriter::weight(const std::string& name, const std::vector<std::int64_t>& shape, double mean, double scale) {
  auto& added = *graph().add_node();
  added.set_op_type("RandomNormal");
  added.set_name(name);
  added.add_output(name);
  with("dtype", kFloat).with("shape", shape).with_real("mean", static_cast<float>(mean));
  with_real("scale", static_cast<float>(scale)).with_real("seed", next_seed_++);
  return name;
}

std::string OnnxWriter::positive(const std::string& name, std::int64_t size) {
  auto& added = *graph().add_node();
  added.set_op_type("RandomUniform");
  added.set_name(name);
  added.add_output(name);
  with("dtype", kFloat).with("shape", std::vector<std::int64_t>{size}).with_real("low", 0.5f).with_real("high", 1.5f);
  with_real("seed", next_seed_++);
  return name;
}

std::string OnnxWriter::scalar(const std::string& name, float value) {
  auto& added = *graph().add_initializer();
  added.set_name(scope_ + "/" + name);
  added.set_data_type(kFloat);
  added.add_float_data(value);
  return added.name();
}

std::string OnnxWriter::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  auto& added = *graph().add_initializer();
  added.set_name(scope_ + "/" + name);
  added.set_data_type(kInt64);
  added.add_dims(static_cast<std::int64_t>(values.size()));
  for (std::int64_t value : values) added.add_int64_data(value);
  return added.name();
}

std::string OnnxWriter::node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                             const Shape& type) {
  auto& added = *graph().add_node();
  added.set_op_type(op);
  added.set_name(scope_ + "/" + name);
  for (const auto& operand : inputs) added.add_input(operand);
  added.add_output(added.name() + "_output");
  set_type(*graph().add_value_info(), added.output(0), type);
  return added.output(0);
}

Status OnnxWriter::write(const std::filesystem::path& file) const {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (!stream || !model_.SerializeToOstream(&stream) || !stream.flush()) {
    return Error{ErrorCode::kIo, "cannot write " + file.string()};
  }
  return Status();
}

}  // namespace fuselab::onnx
