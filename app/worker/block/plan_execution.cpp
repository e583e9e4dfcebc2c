// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/plan_execution.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "app/worker/block/prepared_plan.h"
#include "app/worker/block/value_slots.h"
#include "core/backend/footprint.h"
#include "core/kernel/in_place.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"
#include "core/stats/statistics.h"

namespace fuselab::worker {
namespace {

using platform::WorkerPhase;

// One run of one request. The page and the reply always know at which step it is.
class Execution {
 public:
  Execution(DeviceRuntime& runtime, const wire::ExecuteRequest& request, platform::SharedPage& page,
            std::set<std::string>& launched)
      : runtime_(runtime), request_(request), page_(page), launched_(launched), buffers_(runtime) {}

  wire::ExecuteReply run() {
    Status ran;
    try {
      ran = try_run();
    } catch (const std::bad_alloc&) {
      ran = Error{ErrorCode::kOutOfMemory, "the worker ran out of memory"};
    } catch (const std::exception& failure) {
      ran = Error{ErrorCode::kInternal, std::string("the worker failed: ") + failure.what()};
    }
    page_.set(-1, WorkerPhase::kPrepare);
    reply_.ran = ran.ok();
    if (!ran.ok()) {
      reply_.error = ran.error();
      reply_.failed_step = step_;
    }
    return std::move(reply_);
  }

 private:
  Status try_run() {
    FL_TRY_VOID(allocate());
    FL_TRY_VOID(timed(reply_.to_device, [&] { return read_inputs(); }));
    FL_TRY_VOID(timed(reply_.load, [&] { return load(); }));
    FL_TRY_VOID(launch());
    FL_TRY_VOID(launch_again());
    FL_TRY_VOID(timed(reply_.from_device, [&] { return write_outputs(); }));
    return buffers_.release();
  }

  template <typename Work>
  Status timed(Nanoseconds& sum, Work work) {
    const double start = platform::monotonic_now().count;
    const Status done = work();
    sum.count += platform::monotonic_now().count - start;
    return done;
  }

  void at(int step, WorkerPhase phase) {
    step_ = step;
    page_.set(step, phase);
  }

  // The values of the request, and behind them the scratch of each step.
  Result<std::vector<Lifetime>> lifetimes() {
    std::vector<Lifetime> tensors;
    const int steps = static_cast<int>(request_.steps.size());
    for (const TensorType& type : request_.values) {
      FL_TRY(const Bytes size, size_of(type));
      tensors.push_back({steps, -1, size});
    }
    const auto needed = [&](int value, int step) {
      Lifetime& tensor = tensors[static_cast<std::size_t>(value)];
      tensor.first = std::min(tensor.first, step);
      tensor.last = std::max(tensor.last, step);
    };
    for (int step = 0; step < steps; ++step) {
      for (const int value : request_.steps[static_cast<std::size_t>(step)].arguments) needed(value, step);
    }
    // A repeated pass reads the inputs again.
    for (const wire::TensorFile& input : request_.inputs) {
      needed(input.value, -1);
      if (request_.repeat > 0) needed(input.value, steps);
    }
    for (const wire::TensorFile& output : request_.outputs) needed(output.value, steps);
    for (int step = 0; step < steps; ++step) {
      for (const KernelArgument& argument : request_.steps[static_cast<std::size_t>(step)].kernel.abi.arguments) {
        if (argument.role != BufferRole::kScratch) continue;
        at(step, WorkerPhase::kLoad);  // scratch that cannot be counted is its step's own failure
        FL_TRY(const Bytes size, size_of(argument.type));
        tensors.push_back({step, step, size});
      }
    }
    at(-1, WorkerPhase::kPrepare);
    return tensors;
  }

  // Asks anew for the host's free memory: earlier stages and other programs took of it since the device was opened.
  DeviceInfo device_now() const {
    DeviceInfo device = runtime_.info();
    if (device.uses_host_memory())
      device.free_memory_bytes =
          std::min(device.free_memory_bytes.value_or(std::numeric_limits<std::int64_t>::max()), platform::available_memory().count);
    return device;
  }

  // A step that would not fit by itself is the one that fails: fewer of them at a time would not help.
  Status check_room(const std::vector<Lifetime>& tensors, Bytes needed) {
    const DeviceInfo device = device_now();
    const Support room = fits(needed, device);
    if (room.yes) return {};
    for (int step = 0; step < static_cast<int>(request_.steps.size()); ++step) {
      std::vector<Bytes> own;
      for (const Lifetime& tensor : tensors) {
        if (tensor.first <= step && step <= tensor.last) own.push_back(tensor.size);
      }
      if (fits(sum_of(own), device).yes) continue;
      at(step, WorkerPhase::kLoad);
      break;
    }
    return Error{ErrorCode::kOutOfMemory, room.why_not};
  }

  Status allocate() {
    FL_TRY(const std::vector<Lifetime> tensors, lifetimes());
    const ValueSlots shared = share_slots(tensors);
    std::vector<Bytes> each;
    for (const Lifetime& tensor : tensors) each.push_back(tensor.size);
    reply_.unshared = sum_of(each);
    reply_.tensors = static_cast<int>(tensors.size());
    FL_TRY_VOID(check_room(tensors, shared.total()));
    std::vector<Buffer> slots;
    for (const Bytes size : shared.sizes) {
      FL_TRY(const Buffer buffer, buffers_.allocate(size, BufferRole::kOut));
      slots.push_back(buffer);
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      values_.push_back(slots[shared.slot_of[i]]);
      values_.back().size = tensors[i].size;
    }
    reply_.allocated = shared.total();
    reply_.buffers = static_cast<int>(slots.size());
    return {};
  }

  Status read_inputs() {
    for (const wire::TensorFile& input : request_.inputs) {
      const Buffer& buffer = values_[static_cast<std::size_t>(input.value)];
      FL_TRY(const std::vector<std::byte> bytes, platform::read_file(input.file, buffer.size));
      if (static_cast<std::int64_t>(bytes.size()) != buffer.size.count)
        return Error{ErrorCode::kCorrupt, input.file + " has " + std::to_string(bytes.size()) + " bytes, its tensor " +
                                              std::to_string(buffer.size.count)};
      FL_TRY_VOID(runtime_.upload(buffer, bytes));
    }
    return {};
  }

  Status load() {
    for (std::size_t i = 0; i < request_.steps.size(); ++i) {
      at(static_cast<int>(i), WorkerPhase::kLoad);
      FL_TRY(std::unique_ptr<Executable> executable, runtime_.load(request_.steps[i].kernel));
      executables_.push_back(std::move(executable));
      page_.set(step_, WorkerPhase::kPrepare);
      FL_TRY(std::vector<Buffer> arguments, bind(request_.steps[i]));
      arguments_.push_back(std::move(arguments));
    }
    at(-1, WorkerPhase::kPrepare);
    return {};
  }

  Result<std::vector<Buffer>> bind(const PlanStep& step) {
    std::vector<Buffer> arguments;
    std::size_t bound = 0;
    for (const KernelArgument& argument : step.kernel.abi.arguments) {
      FL_TRY(const Bytes size, size_of(argument.type));
      if (argument.role == BufferRole::kScratch) {
        arguments.push_back(values_[next_scratch_++]);
        continue;
      }
      if (bound >= step.arguments.size()) return misfit(step, "more");
      arguments.push_back(values_[static_cast<std::size_t>(step.arguments[bound++])]);
      if (arguments.back().size.count < size.count)
        return invalid_argument("kernel '" + step.kernel.abi.entry + "' takes more bytes than argument " + std::to_string(bound) +
                                " has");
    }
    if (bound != step.arguments.size()) return misfit(step, "fewer");
    const auto overwritten = std::ranges::count(step.kernel.abi.arguments, BufferRole::kInOut, &KernelArgument::role);
    if (overwritten != std::ssize(overwritten_in_place(step.kernel.abi.arguments)))
      return Error{ErrorCode::kUnsupported, "kernel '" + step.kernel.abi.entry + "' overwrites one of its inputs"};
    return arguments;
  }

  // What the step overwrites in place begins as the input that it belongs to; that is nobody's time.
  Status restore(std::size_t step) {
    const PlanStep& of = request_.steps[step];
    for (const InPlace& each : overwritten_in_place(of.kernel.abi.arguments)) {
      const Buffer& input = values_[static_cast<std::size_t>(of.arguments[each.begins_as])];
      std::vector<std::byte> bytes(static_cast<std::size_t>(input.size.count));
      FL_TRY_VOID(runtime_.download(bytes, input));
      FL_TRY_VOID(runtime_.upload(values_[static_cast<std::size_t>(of.arguments[each.overwritten])], bytes));
    }
    return {};
  }

  static Error misfit(const PlanStep& step, const std::string& which) {
    return invalid_argument("kernel '" + step.kernel.abi.entry + "' takes " + which + " tensors than it is given");
  }

  // Each step is waited for, so that what fails is its own failure.
  Status launch() {
    for (std::size_t i = 0; i < executables_.size(); ++i) {
      at(static_cast<int>(i), WorkerPhase::kLaunch);
      FL_TRY_VOID(restore(i));
      if (launched_.insert(request_.steps[i].kernel.kernel_id()).second) reply_.first.push_back(static_cast<int>(i));
      const Status ran = timed(reply_.steps.emplace_back(), [&]() -> Status {
        FL_TRY_VOID(executables_[i]->enqueue(arguments_[i]));
        return runtime_.synchronize();
      });
      if (!ran.ok()) return ran;
      FL_TRY_VOID(check_indices(*executables_[i]));
    }
    at(-1, WorkerPhase::kPrepare);
    return {};
  }

  Status check_indices(const Executable& executable) {
    const auto* const counting = dynamic_cast<const IndexCount*>(&executable);
    if (counting == nullptr) return {};
    FL_TRY(const WrongIndices wrong, counting->wrong_indices());
    if (wrong.count == 0) return {};
    reply_.wrong_index = true;
    return invalid_argument("index " + std::to_string(wrong.index) + " is out of range, there are " +
                            std::to_string(wrong.entries) + " entries; such an index was met " + std::to_string(wrong.count) +
                            (wrong.count == 1 ? " time" : " times"));
  }

  // Laying out constant inputs and touching fresh memory cost the first pass alone: the median of later ones is without them. Each
  // launch is timed as where kernels are measured, so that looking after the guards of all buffers, which takes longer than a small
  // kernel, is nobody's time; once a pass is enough for that.
  Status launch_again() {
    if (request_.repeat <= 0) return {};
    std::vector<Launch> launches;
    for (std::size_t i = 0; i < executables_.size(); ++i) launches.push_back({executables_[i].get(), arguments_[i]});
    std::vector<std::vector<double>> samples(launches.size());
    for (int pass = 0; pass < request_.repeat; ++pass) {
      Nanoseconds& whole = reply_.passes.emplace_back();
      for (std::size_t i = 0; i < launches.size(); ++i) {
        at(static_cast<int>(i), WorkerPhase::kLaunch);
        FL_TRY_VOID(restore(i));
        FL_TRY(const Timing took, runtime_.time(std::span(&launches[i], 1), 1));
        samples[i].push_back(took.duration.count);
        whole.count += took.duration.count;
      }
      FL_TRY_VOID(runtime_.synchronize());
    }
    at(-1, WorkerPhase::kPrepare);
    for (const std::vector<double>& each : samples) reply_.steady.push_back({summarize(each).median});
    return {};
  }

  Status write_outputs() {
    for (const wire::TensorFile& output : request_.outputs) {
      const Buffer& buffer = values_[static_cast<std::size_t>(output.value)];
      std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.size.count));
      FL_TRY_VOID(runtime_.download(bytes, buffer));
      FL_TRY_VOID(platform::write_passing_file(output.file, bytes));
    }
    return {};
  }

  DeviceRuntime& runtime_;
  const wire::ExecuteRequest& request_;
  platform::SharedPage& page_;
  std::set<std::string>& launched_;
  BufferSet buffers_;
  std::vector<Buffer> values_;
  std::size_t next_scratch_ = request_.values.size();  // of values_
  std::vector<std::unique_ptr<Executable>> executables_;
  std::vector<std::vector<Buffer>> arguments_;
  wire::ExecuteReply reply_;
  int step_ = -1;
};

}  // namespace

wire::ExecuteReply execute(DeviceRuntime& runtime, const wire::ExecuteRequest& request, platform::SharedPage& page,
                           std::set<std::string>& launched) {
  return Execution(runtime, request, page, launched).run();
}

}  // namespace fuselab::worker
