// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/prepared_plan.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "app/worker/reference/checksum.h"
#include "core/kernel/in_place.h"
#include "core/platform/system/clock.h"

namespace fuselab::worker {
namespace {

// All ones is a NaN in every floating type: a value that was never written cannot pass. Where inputs hold NaN themselves it
// could, so another pattern is used there; integers have no NaN and take it always.
constexpr std::byte kNanByte{0xFF};
constexpr std::byte kOddByte{0xA5};

constexpr std::int64_t kPage = 4096;

std::int64_t pages_of(Bytes size) {
  return (size.count + kPage - 1) / kPage * kPage;
}

bool writes(BufferRole role) {
  return role == BufferRole::kOut || role == BufferRole::kInOut;
}

Error misfit(const Plan& plan, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "plan '" + plan.label + "' does not fit its graph: " + why};
}

// Spins for this many nanoseconds and returns how long it took.
double spin(double nanoseconds) {
  const double start = platform::monotonic_now().count;
  double passed = 0;
  while (passed < nanoseconds) passed = platform::monotonic_now().count - start;
  return passed;
}

}  // namespace

BufferSet::~BufferSet() {
  [[maybe_unused]] const Status released = release();  // callers that care about broken guards have asked before
}

Result<Buffer> BufferSet::allocate(Bytes size, BufferRole role) {
  FL_TRY(const Buffer buffer, runtime_.allocate(size, role));
  held_.push_back(buffer);
  return buffer;
}

Result<std::vector<Buffer>> BufferSet::allocate_sets(Bytes size, BufferRole role, int sets) {
  FL_TRY(const Buffer first, allocate(size, role));
  std::vector<Buffer> buffers = {first};
  if (sets == 1) return buffers;
  const std::int64_t apart = pages_of(size);
  FL_TRY(const Buffer whole, allocate({(sets - 2) * apart + size.count}, role));
  for (int set = 1; set < sets; ++set) {
    Buffer part = whole;
    part.offset += (set - 1) * apart;
    part.size = size;
    buffers.push_back(part);
  }
  return buffers;
}

Status BufferSet::release() {
  Status first;
  for (const Buffer& buffer : held_) {
    const Status released = runtime_.release(buffer);
    if (first.ok() && !released.ok()) first = released;
  }
  held_.clear();
  return first;
}

Result<Bytes> scratch_of(const Plan& plan) {
  Bytes sum;
  for (const PlanStep& step : plan.steps) {
    for (const KernelArgument& argument : step.kernel.abi.arguments) {
      if (argument.role != BufferRole::kScratch) continue;
      FL_TRY(const Bytes size, size_of(argument.type));
      if (__builtin_add_overflow(sum.count, size.count, &sum.count))
        return invalid_argument("the plan's scratch cannot be counted");
    }
  }
  return sum;
}

Result<std::unique_ptr<SharedBuffers>> share_buffers(DeviceRuntime& runtime, const Graph& graph,
                                                     std::shared_ptr<const ReferenceCase> reference, BufferCycle cycle) {
  auto shared = std::make_unique<SharedBuffers>(runtime, cycle);
  shared->reference = std::move(reference);
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const std::vector<std::byte>& bytes = shared->reference->packed[i];
    const Bytes size{static_cast<std::int64_t>(bytes.size())};
    FL_TRY(std::vector<Buffer> buffers, shared->owner.allocate_sets(size, BufferRole::kIn, cycle.sets()));
    for (const Buffer& buffer : buffers) FL_TRY_VOID(runtime.upload(buffer, bytes));
    shared->inputs.push_back(std::move(buffers));
  }
  for (const ValueId output : graph.outputs()) {
    FL_TRY(const Bytes size, size_of(graph.type(output)));
    FL_TRY(std::vector<Buffer> buffers, shared->owner.allocate_sets(size, BufferRole::kOut, cycle.sets()));
    shared->outputs.push_back(std::move(buffers));
  }
  return shared;
}

Result<std::unique_ptr<PreparedPlan>> PreparedPlan::create(DeviceRuntime& runtime, const Plan& plan, SharedBuffers& shared,
                                                           const InputSpec& inputs) {
  std::unique_ptr<PreparedPlan> prepared(new PreparedPlan(runtime, plan, shared, inputs));
  FL_TRY_VOID(prepared->bind_values());
  FL_TRY_VOID(prepared->bind_steps());
  FL_TRY_VOID(prepared->reload());
  FL_TRY_VOID(prepared->restore_inputs(0));
  return prepared;
}

Status PreparedPlan::bind_values() {
  const std::size_t inputs = plan_.graph.inputs().size();
  const std::size_t outputs = plan_.graph.outputs().size();
  if (plan_.values.size() < inputs + outputs) return misfit(plan_, "it has fewer values than the graph has inputs and outputs");
  std::set<std::size_t> written;
  for (const PlanStep& step : plan_.steps) {
    std::size_t bound = 0;
    for (const KernelArgument& argument : step.kernel.abi.arguments) {
      if (argument.role == BufferRole::kScratch) continue;
      if (bound >= step.arguments.size()) return misfit(plan_, "kernel '" + step.kernel.abi.entry + "' has more arguments");
      if (writes(argument.role)) written.insert(static_cast<std::size_t>(step.arguments[bound]));
      ++bound;
    }
    if (bound != step.arguments.size()) return misfit(plan_, "kernel '" + step.kernel.abi.entry + "' has fewer arguments");
    FL_TRY_VOID(note_in_place(step));
  }
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    FL_TRY(const Bytes size, size_of(plan_.values[i]));
    if (i < inputs && written.count(i) == 0) {
      values_.push_back(shared_.inputs[i]);
    } else if (i >= inputs && i < inputs + outputs) {
      values_.push_back(shared_.outputs[i - inputs]);
    } else {
      const BufferRole role = i < inputs ? BufferRole::kInOut : BufferRole::kScratch;
      FL_TRY(std::vector<Buffer> buffers, owned_.allocate_sets(size, role, sets()));
      values_.push_back(std::move(buffers));
      if (i < inputs) restored_.push_back({i, i});
    }
    if (values_.back().front().size.count < size.count) {
      return misfit(plan_, "value " + std::to_string(i) + " is larger than in the graph");
    }
  }
  if (restored_.empty() || sets() == 1) return {};
  return Error{ErrorCode::kUnsupported, "a kernel overwrites an input, which is restored before each run: no rotating timings"};
}

Status PreparedPlan::note_in_place(const PlanStep& step) {
  for (const InPlace& each : overwritten_in_place(step.kernel.abi.arguments)) {
    const auto input = static_cast<std::size_t>(step.arguments[each.begins_as]);
    if (input >= plan_.graph.inputs().size())
      return Error{ErrorCode::kUnsupported,
                   "kernel '" + step.kernel.abi.entry + "' overwrites in place what another kernel of the plan wrote"};
    restored_.push_back({static_cast<std::size_t>(step.arguments[each.overwritten]), input});
  }
  return {};
}

Status PreparedPlan::bind_steps() {
  const std::size_t steps = plan_.steps.size();
  const std::size_t runs = sets() == 1 ? 1 : 2 * static_cast<std::size_t>(sets());
  launches_.resize(runs * steps);
  const auto add = [&](std::size_t step, const std::vector<Buffer>& buffers) {
    for (std::size_t run = 0; run < runs; ++run) {
      launches_[run * steps + step].arguments.push_back(buffers[run % buffers.size()]);
    }
  };
  for (std::size_t i = 0; i < steps; ++i) {
    const PlanStep& step = plan_.steps[i];
    std::size_t bound = 0;
    for (const KernelArgument& argument : step.kernel.abi.arguments) {
      if (argument.role != BufferRole::kScratch) {
        add(i, values_[static_cast<std::size_t>(step.arguments[bound++])]);
        continue;
      }
      FL_TRY(const Bytes size, size_of(argument.type));
      FL_TRY(std::vector<Buffer> buffers, owned_.allocate_sets(size, BufferRole::kScratch, sets()));
      add(i, buffers);
      scratch_.emplace_back(std::move(buffers), argument.type);
    }
  }
  return {};
}

// All sets run the same code: it is their operands that no cache holds.
Status PreparedPlan::reload() {
  for (Launch& launch : launches_) launch.executable = nullptr;
  executables_.clear();
  for (const PlanStep& step : plan_.steps) {
    FL_TRY(std::unique_ptr<Executable> executable, runtime_.load(step.kernel));
    executables_.push_back(std::move(executable));
  }
  for (std::size_t i = 0; i < launches_.size(); ++i) launches_[i].executable = executables_[i % executables_.size()].get();
  return {};
}

std::span<const Launch> PreparedPlan::run_on(int set, int runs) const {
  const std::size_t steps = plan_.steps.size();
  return std::span(launches_).subspan(static_cast<std::size_t>(set) * steps, static_cast<std::size_t>(runs) * steps);
}

Status PreparedPlan::fill(const Buffer& buffer, const TensorType& type, InputPattern inputs) {
  FL_TRY(const Bytes size, size_of(type));
  const bool nan_shows = inputs != InputPattern::kSpecial && (is_floating(type.dtype) || buffer.role == BufferRole::kScratch);
  const std::vector<std::byte> pattern(static_cast<std::size_t>(size.count), nan_shows ? kNanByte : kOddByte);
  return runtime_.upload(buffer, pattern);
}

Status PreparedPlan::restore_inputs(int set) {
  const auto at = static_cast<std::size_t>(set);
  for (const Restored& each : restored_)
    FL_TRY_VOID(runtime_.upload(values_[each.value][at], shared_.reference->packed[each.input]));
  return {};
}

Status PreparedPlan::poison(int set, InputPattern pattern) {
  const auto at = static_cast<std::size_t>(set);
  for (std::size_t i = plan_.graph.inputs().size(); i < plan_.values.size(); ++i) {
    FL_TRY_VOID(fill(values_[i][at], plan_.values[i], pattern));
  }
  for (const auto& [buffers, type] : scratch_) FL_TRY_VOID(fill(buffers[at], type, pattern));
  return restore_inputs(set);
}

Status PreparedPlan::run_once(int set) {
  for (const Launch& launch : run_on(set)) FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
  return runtime_.synchronize();
}

Result<Timing> PreparedPlan::time(int repetitions) {
  FL_TRY(Timing timing, time_launches(repetitions));
  if (plan_.handicap > 0) timing.duration.count += spin(plan_.handicap * timing.duration.count);
  return timing;
}

Result<Timing> PreparedPlan::time_launches(int repetitions) {
  if (restored_.empty()) {
    FL_ASSERT(repetitions == shared_.cycle.fitting(repetitions));
    const int each = std::min(repetitions, sets());
    return runtime_.time(run_on(shared_.cycle.take(repetitions), each), repetitions / each);
  }
  Timing total;
  for (int i = 0; i < repetitions; ++i) {  // each run must find its inputs as they were: timed one by one
    FL_TRY_VOID(restore_inputs(0));
    FL_TRY(const Timing one, runtime_.time(launches_, 1));
    total.duration.count += one.duration.count;
    total.source = one.source;
  }
  return total;
}

Result<std::vector<std::byte>> PreparedPlan::download_output(std::size_t output, int set) {
  FL_TRY(const Bytes size, size_of(plan_.graph.type(plan_.graph.outputs()[output])));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size.count));
  FL_TRY_VOID(runtime_.download(bytes, values_[plan_.graph.inputs().size() + output][static_cast<std::size_t>(set)]));
  return bytes;
}

Result<std::vector<RealTensor>> PreparedPlan::download_outputs(int set) {
  std::vector<RealTensor> outputs;
  for (std::size_t i = 0; i < plan_.graph.outputs().size(); ++i) {
    FL_TRY(const std::vector<std::byte> bytes, download_output(i, set));
    FL_TRY(RealTensor output, unpack(plan_.graph.type(plan_.graph.outputs()[i]), bytes));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<std::string> PreparedPlan::outputs_name() {
  std::string name;
  for (std::size_t i = 0; i < plan_.graph.outputs().size(); ++i) {
    FL_TRY(const std::vector<std::byte> bytes, download_output(i, 0));
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum(bytes)));
    name += (i > 0 ? " " : "") + std::string(digits);
  }
  return name;
}

}  // namespace fuselab::worker
