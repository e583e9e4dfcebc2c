// SPDX-License-Identifier: Apache-2.0
#include "backends/openvino/ov_plan.h"

#include <vector>

#include "backends/onnx/onnx_model.h"

namespace fuselab::openvino {
namespace {

class OvBoundPlan final : public library::BoundPlan {
 public:
  OvBoundPlan(std::shared_ptr<OvLibrary> library, abi::InferRequest* request) : library_(std::move(library)), request_(request) {}
  ~OvBoundPlan() override {
    library_->calls().free_request(request_);
    for (abi::Tensor* const each : tensors_) library_->calls().free_tensor(each);
  }

  Status add(const std::string& name, const TensorType& type, std::byte* address) {
    std::vector<std::int64_t> dims = extents_of(type.shape);
    const auto element = element_type(type.dtype);
    if (!element) return Error{ErrorCode::kUnsupported, "a tensor of " + std::string(name_of(type.dtype))};
    abi::Tensor* tensor = nullptr;
    FL_TRY_VOID(library_->check(
        library_->calls().create_tensor(*element, {static_cast<std::int64_t>(dims.size()), dims.data()}, address, &tensor),
        "placing a tensor"));
    tensors_.push_back(tensor);
    return library_->check(library_->calls().set_tensor(request_, name.c_str(), tensor), "binding " + name);
  }

  Status run() override {
    const abi::Code code = library_->calls().infer(request_);
    return code == abi::kOk ? Status() : library_->check(code, "running a model");
  }

 private:
  std::shared_ptr<OvLibrary> library_;
  abi::InferRequest* request_;
  std::vector<abi::Tensor*> tensors_;
};

}  // namespace

std::optional<int> element_type(DType dtype) {
  switch (dtype) {
    case DType::kF32: return abi::kF32;
    case DType::kI32: return abi::kI32;
    case DType::kI64: return abi::kI64;
    case DType::kI8: return abi::kI8;
    case DType::kU8: return abi::kU8;
    case DType::kBool: return abi::kBool;
    default: return std::nullopt;
  }
}

Result<std::unique_ptr<OvPlan>> OvPlan::build(std::shared_ptr<OvLibrary> library, const Graph& graph, const LaunchConfig& config) {
  std::unique_ptr<OvPlan> plan(new OvPlan(std::move(library), graph));
  plan->threads_ = library::threads_of(config);
  plan->holds_weights_ = config.choice("weights", "plain") == "packed" && !plan->weights_.none();
  if (!plan->holds_weights_) FL_TRY_VOID(plan->compiled_for({}));
  return plan;
}

Result<abi::CompiledModel*> OvPlan::compiled_for(const library::Places& places) {
  const auto key = holds_weights_ ? weights_.key_at(places) : onnx_model::GivenWeights::Key();
  if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second.get();
  FL_TRY(const std::string model, onnx_model::write_onnx(graph_, holds_weights_ ? weights_.at(places) : onnx_model::Weights()));
  FL_TRY(CompiledHandle made, library_->compiled_model(model, threads_));
  return compiled_.emplace(key, std::move(made)).first->second.get();
}

Result<std::unique_ptr<library::BoundPlan>> OvPlan::bind(const library::Places& places) {
  FL_TRY(abi::CompiledModel* const compiled, compiled_for(places));
  abi::InferRequest* request = nullptr;
  FL_TRY_VOID(library_->check(library_->calls().create_request(compiled, &request), "making a request"));
  auto bound = std::make_unique<OvBoundPlan>(library_, request);
  const std::size_t inputs = graph_.inputs().size();
  for (std::size_t i = 0; i < inputs; ++i) {
    if (holds_weights_ && weights_.is_weight(i)) continue;
    FL_TRY_VOID(bound->add(onnx_model::input_name(i), graph_.type(graph_.inputs()[i]), places.addresses[i]));
  }
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    FL_TRY_VOID(bound->add(onnx_model::output_name(i), graph_.type(graph_.outputs()[i]), places.addresses[inputs + i]));
  }
  return std::unique_ptr<library::BoundPlan>(std::move(bound));
}

std::string OvPlan::remarks() const {
  return holds_weights_ ? "weights laid out ahead of time, which is not in the figure" : "";
}

}  // namespace fuselab::openvino
