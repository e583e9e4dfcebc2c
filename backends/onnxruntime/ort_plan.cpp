// SPDX-License-Identifier: Apache-2.0
#include "backends/onnxruntime/ort_plan.h"

#include <vector>

#include "backends/onnx/onnx_model.h"

namespace fuselab::onnxruntime {
namespace {

// Tensors of one launch as the library has them: names and values, inputs and outputs apart.
struct Tensors {
  std::vector<std::string> names;
  std::vector<abi::Value*> values;

  std::vector<const char*> c_names() const {
    std::vector<const char*> pointers;
    for (const std::string& name : names) pointers.push_back(name.c_str());
    return pointers;
  }
};

class OrtBoundPlan final : public library::BoundPlan {
 public:
  OrtBoundPlan(std::shared_ptr<OrtLibrary> library, abi::Session* session, bool has_team)
      : library_(std::move(library)), session_(session), has_team_(has_team) {}
  ~OrtBoundPlan() override {
    for (const Tensors* const tensors : {&inputs_, &outputs_}) {
      for (abi::Value* const each : tensors->values) library_->calls().release_value(each);
    }
  }

  Status add(bool is_output, std::string name, const TensorType& type, std::byte* address) {
    const std::vector<std::int64_t> dims = extents_of(type.shape);
    FL_TRY(const Bytes size, size_of(type));
    abi::Value* value = nullptr;
    FL_TRY_VOID(
        library_->check(library_->calls().create_tensor(library_->memory(), address, static_cast<std::size_t>(size.count),
                                                        dims.data(), dims.size(), onnx_model::type_number(type.dtype), &value),
                        "placing a tensor"));
    Tensors& tensors = is_output ? outputs_ : inputs_;
    tensors.names.push_back(std::move(name));
    tensors.values.push_back(value);
    return {};
  }
  void finish() {
    input_names_ = inputs_.c_names();
    output_names_ = outputs_.c_names();
  }

  Status run() override {
    if (has_team_) library_->note_spinning();
    abi::Status* const status =
        library_->calls().run(session_, nullptr, input_names_.data(), inputs_.values.data(), input_names_.size(),
                              output_names_.data(), output_names_.size(), outputs_.values.data());
    return status == nullptr ? Status() : library_->check(status, "running a session");
  }

 private:
  std::shared_ptr<OrtLibrary> library_;
  abi::Session* session_;
  bool has_team_;
  Tensors inputs_, outputs_;
  std::vector<const char*> input_names_, output_names_;
};

}  // namespace

Result<std::unique_ptr<OrtPlan>> OrtPlan::build(std::shared_ptr<OrtLibrary> library, const Graph& graph,
                                                const LaunchConfig& config) {
  std::unique_ptr<OrtPlan> plan(new OrtPlan(std::move(library), graph));
  plan->choices_ = {library::threads_of(config), config.choice("optimization", "all") == "all"};
  plan->holds_weights_ = config.choice("weights", "plain") == "packed" && !plan->weights_.none();
  if (!plan->holds_weights_) FL_TRY_VOID(plan->session_for({}));
  return plan;
}

Result<abi::Session*> OrtPlan::session_for(const library::Places& places) {
  const auto key = holds_weights_ ? weights_.key_at(places) : onnx_model::GivenWeights::Key();
  if (const auto known = sessions_.find(key); known != sessions_.end()) return known->second.get();
  FL_TRY(const std::string model, onnx_model::write_onnx(graph_, holds_weights_ ? weights_.at(places) : onnx_model::Weights()));
  FL_TRY(SessionHandle made, library_->session(model, choices_));
  return sessions_.emplace(key, std::move(made)).first->second.get();
}

Result<std::unique_ptr<library::BoundPlan>> OrtPlan::bind(const library::Places& places) {
  FL_TRY(abi::Session* const session, session_for(places));
  auto bound = std::make_unique<OrtBoundPlan>(library_, session, choices_.threads > 1);
  const std::size_t inputs = graph_.inputs().size();
  for (std::size_t i = 0; i < inputs; ++i) {
    if (holds_weights_ && weights_.is_weight(i)) continue;
    FL_TRY_VOID(bound->add(false, onnx_model::input_name(i), graph_.type(graph_.inputs()[i]), places.addresses[i]));
  }
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    FL_TRY_VOID(bound->add(true, onnx_model::output_name(i), graph_.type(graph_.outputs()[i]), places.addresses[inputs + i]));
  }
  bound->finish();
  return std::unique_ptr<library::BoundPlan>(std::move(bound));
}

std::string OrtPlan::remarks() const {
  return holds_weights_ ? "weights laid out ahead of time, which is not in the figure" : "";
}

}  // namespace fuselab::onnxruntime
