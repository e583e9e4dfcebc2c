// SPDX-License-Identifier: Apache-2.0
#include "backends/library/stream/solution_library.h"

#include <algorithm>
#include <optional>

#include "backends/gpu/stream/device_memory.h"
#include "backends/library/plan_text.h"
#include "backends/loading/library_build.h"

namespace fuselab::library {
namespace {

namespace stream = gpu::stream;

// Addresses of a device are integers to the driver's table and pointers to its vendor's libraries.
void* pointer_to(stream::abi::DevicePointer address) {
  return reinterpret_cast<void*>(address);
}

class CallWork final : public stream::StreamWork {
 public:
  CallWork(std::shared_ptr<SolutionLibrary> library, stream::DeviceContext& context, void* handle, DescribedCall described,
           const Solution& solution, std::optional<stream::DeviceMemory> workspace)
      : library_(std::move(library)),
        context_(context),
        handle_(handle),
        described_(std::move(described)),
        solution_(solution),
        workspace_(std::move(workspace)) {}

  Status enqueue(std::vector<stream::abi::DevicePointer>& addresses) override {
    std::vector<void*> pointers;
    for (const stream::abi::DevicePointer each : addresses) pointers.push_back(pointer_to(each));
    return described_.call->enqueue(handle_, solution_, pointers, workspace_ ? pointer_to(workspace_->address()) : nullptr,
                                    context_.stream());
  }
  // A call may be several kernels: such libraries do not say.
  int kernels() const override { return described_.call->calls(solution_); }

 private:
  std::shared_ptr<SolutionLibrary> library_;
  stream::DeviceContext& context_;
  void* handle_;
  DescribedCall described_;
  Solution solution_;
  std::optional<stream::DeviceMemory> workspace_;
};

}  // namespace

SolutionLibrary::SolutionLibrary(std::string id, std::string name, std::string flags, std::string meaning)
    : meaning_(std::move(meaning)) {
  facts_.id = std::move(id);
  facts_.name = std::move(name);
  facts_.flags = std::move(flags);
  facts_.most_threads = 0;
}

Status SolutionLibrary::start(std::shared_ptr<const stream::Driver> driver, const DeviceInfo& device) {
  driver_ = std::move(driver);
  first_ = device.index;
  FL_TRY(const loading::OpenedLibrary opened, open());
  const auto unavailable = [&](const Error& error) { return Error{ErrorCode::kUnavailable, opened.path + ": " + error.message}; };
  const auto handle = handle_on(first_);
  if (!handle.ok()) return unavailable(handle.error());
  auto found = version(handle.value());
  if (!found.ok()) return unavailable(found.error());
  facts_.version = std::move(found).value();
  facts_.build = loading::build_of(opened.path);
  facts_.path = opened.path;
  facts_.settings = device.target.id;
  facts_.is_tried = false;  // on stand-ins alone
  return {};
}

Result<void*> SolutionLibrary::handle_on(int ordinal) {
  if (const auto found = handles_.find(ordinal); found != handles_.end()) return found->second;
  stream::abi::Context current = nullptr;
  FL_TRY_VOID(driver_->check(driver_->calls().context_retain(&current, ordinal), "choosing the device"));
  void* handle = nullptr;
  FL_TRY_VOID(create(&handle));
  return handles_[ordinal] = handle;
}

Result<std::vector<Solution>> SolutionLibrary::solutions_of(SolutionCall& call, void* handle) const {
  FL_TRY(std::vector<Solution> solutions, call.solutions(handle));
  if (solutions.empty()) return Error{ErrorCode::kUnsupported, facts_.name + " has no solution for this on " + facts_.settings};
  std::stable_partition(solutions.begin(), solutions.end(), [](const Solution& each) { return !each.transforms; });
  return solutions;
}

Result<Solution> SolutionLibrary::chosen(SolutionCall& call, const PlanText& plan, void* handle) const {
  FL_TRY(const std::vector<Solution> solutions, solutions_of(call, handle));
  const std::int64_t number = plan.config.integer("solution", solutions.front().number);
  const auto found = std::ranges::find(solutions, number, &Solution::number);
  if (found == solutions.end())
    return Error{ErrorCode::kUnsupported, facts_.name + " names no solution " + std::to_string(number) + " for this"};
  if (found->transforms && plan.config.integer(kWinogradParameter, 0) != 1)
    return Error{ErrorCode::kUnsupported, "a solution by transforms, and the configuration does not say winograd=1"};
  return *found;
}

Result<PlanOutline> SolutionLibrary::outline(const Graph& graph) {
  FL_TRY(const DescribedCall described, describe(graph));
  FL_TRY(void* const handle, handle_on(first_));
  FL_TRY(const std::vector<Solution> solutions, solutions_of(*described.call, handle));
  PlanOutline outline;
  outline.steps = {described.step};
  outline.drawbacks = described.drawbacks;
  Parameter numbers{"solution", meaning_, {}};
  std::string transformed, plain;
  for (const Solution& each : solutions) {
    numbers.values.emplace_back(each.number);
    if (!each.transforms) continue;
    transformed += (transformed.empty() ? "solution == " : " || solution == ") + std::to_string(each.number);
    plain += " && solution != " + std::to_string(each.number);
  }
  outline.parameters.push_back(std::move(numbers));
  if (transformed.empty()) return outline;
  Parameter winograd{std::string(kWinogradParameter), "1: by transforms, or possibly, whose error is larger", {std::int64_t{1}}};
  if (!solutions.front().transforms) winograd.values.insert(winograd.values.begin(), std::int64_t{0});
  outline.parameters.push_back(std::move(winograd));
  outline.constraints.push_back(
      {"(winograd == 1 && (" + transformed + ")) || (winograd == 0" + plain + ")", "what is computed by transforms says so"});
  return outline;
}

Result<std::string> SolutionLibrary::try_plan(const PlanText& plan) {
  FL_TRY(const DescribedCall described, describe(plan.graph));
  FL_TRY(void* const handle, handle_on(first_));
  FL_TRY(const Solution solution, chosen(*described.call, plan, handle));
  FL_TRY_VOID(described.call->prepare(handle, solution, nullptr));
  return std::string();
}

Result<std::unique_ptr<stream::StreamWork>> SolutionLibrary::build(stream::DeviceContext& context, const PlanText& plan) {
  FL_TRY(DescribedCall described, describe(plan.graph));
  FL_TRY(void* const handle, handle_on(context.ordinal()));
  FL_TRY(const Solution solution, chosen(*described.call, plan, handle));
  FL_TRY_VOID(described.call->prepare(handle, solution, context.stream()));
  std::optional<stream::DeviceMemory> workspace;
  if (solution.workspace > 0) {
    auto made = stream::DeviceMemory::create(context, {static_cast<std::int64_t>(solution.workspace)}, gpu::Access::kWritten);
    if (!made.ok()) return made.error().within("the library's workspace");
    workspace = std::move(made).value();
  }
  return std::unique_ptr<stream::StreamWork>(
      std::make_unique<CallWork>(shared_from_this(), context, handle, std::move(described), solution, std::move(workspace)));
}

}  // namespace fuselab::library
