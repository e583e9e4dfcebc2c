// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_plan.h"

#include <algorithm>
#include <vector>

namespace fuselab::xla {
namespace {

class XlaBoundPlan final : public library::BoundPlan {
 public:
  XlaBoundPlan(const PjrtLibrary& plugin, const Program& program, std::vector<DeviceBuffer> buffers,
               std::vector<std::byte*> outputs)
      : plugin_(plugin),
        program_(program),
        buffers_(std::move(buffers)),
        outputs_(std::move(outputs)),
        given_(buffers_.size()),
        made_(outputs_.size()) {}

  Status run() override {
    std::transform(buffers_.begin(), buffers_.end(), given_.begin(), [](const DeviceBuffer& each) { return each.get(); });
    std::fill(made_.begin(), made_.end(), nullptr);
    const Status ran = program_.execute(given_, made_);
    // XLA took the memory of the outputs: the buffers that it made of it are what the next launch gives.
    const std::size_t inputs = buffers_.size() - outputs_.size();
    for (std::size_t i = 0; i < made_.size(); ++i) buffers_[inputs + i] = DeviceBuffer(&plugin_, made_[i]);
    return ran;
  }

  // A result that lay elsewhere once would have been the memory of the launches after it: the last one tells of all.
  Status check_results() override {
    const std::size_t inputs = buffers_.size() - outputs_.size();
    for (std::size_t i = 0; i < outputs_.size(); ++i) FL_TRY_VOID(plugin_.lies_at(buffers_[inputs + i].get(), outputs_[i]));
    return {};
  }

 private:
  const PjrtLibrary& plugin_;
  const Program& program_;
  std::vector<DeviceBuffer> buffers_;  // inputs, then outputs
  std::vector<std::byte*> outputs_;    // where they are to lie
  std::vector<abi::PjrtBuffer*> given_, made_;
};

}  // namespace

Result<std::unique_ptr<library::BoundPlan>> XlaPlan::bind(const library::Places& places) {
  std::vector<ValueId> values = graph_.inputs();
  const std::size_t inputs = values.size();
  values.insert(values.end(), graph_.outputs().begin(), graph_.outputs().end());
  std::vector<DeviceBuffer> buffers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    FL_TRY(DeviceBuffer made, plugin_->view(places.addresses[i], graph_.type(values[i]), i >= inputs, threads_));
    buffers.push_back(std::move(made));
  }
  std::vector<std::byte*> outputs(places.addresses.begin() + static_cast<std::ptrdiff_t>(inputs), places.addresses.end());
  return std::unique_ptr<library::BoundPlan>(
      std::make_unique<XlaBoundPlan>(*plugin_, program_, std::move(buffers), std::move(outputs)));
}

}  // namespace fuselab::xla
