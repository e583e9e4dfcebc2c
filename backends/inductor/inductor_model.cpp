// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/inductor_model.h"

#include <cstdlib>

#include "core/extents/strides.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::inductor {
namespace {

using torch::abi::Handle;

constexpr std::string_view kModelFolder = "fuselab-inductor";

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

Status resolve_all(const loading::OpenedLibrary& model, ModelFunctions& f) {
  const loading::Symbol symbols[] = {{"AOTInductorModelContainerCreateWithDevice", slot(f.create)},
                                     {"AOTInductorModelContainerDelete", slot(f.destroy)},
                                     {"AOTInductorModelContainerGetNumInputs", slot(f.count_inputs)},
                                     {"AOTInductorModelContainerGetNumOutputs", slot(f.count_outputs)},
                                     {"AOTInductorModelContainerRun", slot(f.run)}};
  FL_TRY_VOID(loading::resolve(model, symbols));
  *slot(f.last_error) = model.symbol("AOTInductorGetLastError");
  return {};
}

class BoundModel final : public library::BoundPlan {
 public:
  explicit BoundModel(const InductorModel& model) : model_(model), calls_(model.library().calls()) {}
  ~BoundModel() override {
    for (const Handle each : handles_) calls_.delete_handle(each);
  }

  Status show(const TensorType& type, std::byte* place) {
    const torch::Extents extents = extents_of(type.shape), strides = strides_of(extents);
    Handle made = nullptr;
    FL_TRY_VOID(model_.library().check(calls_.wrap(place, static_cast<std::int64_t>(extents.size()), extents.data(), strides.data(),
                                                   0, model_.library().number_of(type.dtype), torch::abi::kCpu, 0, &made),
                                       "placing a tensor"));
    handles_.push_back(made);
    given_.push_back(nullptr);
    return {};
  }

  Status run() override {
    for (std::size_t i = 0; i < handles_.size(); ++i)
      FL_TRY_VOID(model_.library().check(calls_.new_handle(handles_[i], &given_[i]), "passing a tensor"));
    return model_.run(given_);
  }

 private:
  const InductorModel& model_;
  const torch::abi::Functions& calls_;
  std::vector<Handle> handles_;  // one an argument
  std::vector<Handle> given_;    // a model takes the handles that it is given
};

}  // namespace

Result<std::unique_ptr<library::HostPlan>> InductorModel::load(std::shared_ptr<torch::TorchLibrary> library, std::string_view code,
                                                               const Graph& graph) {
  // It compares extents and types of what it is given with what it was compiled for; otherwise it would read beyond them.
  ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1);
  FL_TRY(const platform::TemporaryFolder folder, platform::TemporaryFolder::create(kModelFolder));
  const std::filesystem::path path = folder.path() / "model.so";
  FL_TRY_VOID(platform::write_passing_file(path, std::as_bytes(std::span(code))));
  const loading::OpenedLibrary opened = loading::open_library(path.string());
  if (opened.handle == nullptr) return Error{ErrorCode::kUnsupported, "Inductor's model does not load: " + opened.problem};
  std::unique_ptr<InductorModel> model(new InductorModel(std::move(library), graph));
  FL_TRY_VOID(resolve_all(opened, model->functions_));
  FL_TRY_VOID(model->start());
  return std::unique_ptr<library::HostPlan>(std::move(model));
}

InductorModel::~InductorModel() {
  if (container_ != nullptr) functions_.destroy(container_);
}

Status InductorModel::start() {
  FL_TRY_VOID(check(functions_.create(&container_, 1, "cpu", nullptr), "making Inductor's model ready"));
  std::size_t inputs = 0, outputs = 0;
  FL_TRY_VOID(check(functions_.count_inputs(container_, &inputs), "asking for inputs"));
  FL_TRY_VOID(check(functions_.count_outputs(container_, &outputs), "asking for outputs"));
  const std::size_t wanted = graph_.inputs().size() + graph_.outputs().size();
  if (inputs == wanted && outputs == 1) return {};
  return Error{ErrorCode::kUnsupported, "Inductor's model takes " + std::to_string(inputs) + " tensors and gives " +
                                            std::to_string(outputs) + ", its graph needs " + std::to_string(wanted) + " and 1"};
}

Status InductorModel::check(torch::abi::Code code, const std::string& what) const {
  if (code == 0) return {};
  const char* words = nullptr;
  if (functions_.last_error != nullptr) functions_.last_error(&words);
  return Error{ErrorCode::kLaunchFailed, what + ": " + (words == nullptr || *words == '\0' ? "no reason" : torch::one_line(words))};
}

Status InductorModel::run(std::span<Handle> inputs) const {
  Handle empty = nullptr;  // models without a result are not made: each has one without elements
  const auto code = functions_.run(container_, inputs.data(), inputs.size(), &empty, 1, nullptr, nullptr);
  if (empty != nullptr) library_->calls().delete_handle(empty);
  return check(code, "Inductor's model");
}

Result<std::unique_ptr<library::BoundPlan>> InductorModel::bind(const library::Places& places) {
  auto bound = std::make_unique<BoundModel>(*this);
  std::size_t place = 0;
  for (const auto& values : {graph_.inputs(), graph_.outputs()}) {
    for (const ValueId value : values) FL_TRY_VOID(bound->show(graph_.type(value), places.addresses[place++]));
  }
  return std::unique_ptr<library::BoundPlan>(std::move(bound));
}

void sweep_models() {
  platform::TemporaryFolder::sweep(kModelFolder);
}

}  // namespace fuselab::inductor
