// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_executable.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace fuselab::opencl {
namespace {

constexpr std::size_t kNotPassed = std::numeric_limits<std::size_t>::max();  // an argument that the entry does not take

Result<std::size_t> dimension(const DimFormula& formula, const std::map<std::string, std::int64_t>& dims, const char* name) {
  FL_TRY(const std::int64_t value, formula.evaluate(dims));
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    return Error{ErrorCode::kUnsupported, std::string(name) + " would be " + std::to_string(value)};
  }
  return static_cast<std::size_t>(value);
}

Error would_not_launch(std::string_view what, std::int64_t wanted, std::int64_t most) {
  return {ErrorCode::kUnsupported, "it would not launch: " + std::to_string(wanted) + " " + std::string(what) +
                                       ", the device allows " + std::to_string(most)};
}

}  // namespace

Result<std::unique_ptr<OpenClExecutable>> OpenClExecutable::load(OpenClRuntime& runtime, const CompiledKernel& kernel) {
  const DeviceInfo& info = runtime.info();
  if (kernel.binary.format != "opencl-program") {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info.id};
  }
  if (kernel.identity.target != info.target.id) {
    return Error{ErrorCode::kUnsupported, info.name + " with its present driver does not run code for " + kernel.identity.target};
  }
  std::map<std::string, std::int64_t> dims;
  if (info.compute_units) dims["multiprocessors"] = *info.compute_units;
  FL_TRY(BuiltProgram program, BuiltProgram::of_binary(runtime.context(), kernel.binary.data, kernel.identity.flags));
  FL_TRY(LoadedKernel loaded, LoadedKernel::load(program, kernel.abi.entry));
  const std::size_t count = kernel.abi.arguments.size();
  const auto takes = loaded.number_of_arguments();
  const auto recorded = static_cast<std::int64_t>(kernel.abi.parameters.empty() ? count : kernel.abi.parameters.size());
  // What it counts in is no argument of the record.
  const bool counts = kernel.abi.parameters.empty() && takes && *takes == recorded + 1;
  if (takes && !counts && *takes != recorded) {
    return Error{ErrorCode::kCorrupt, "the program's kernel takes " + std::to_string(*takes) + " arguments, its record says " +
                                          std::to_string(recorded)};
  }
  std::unique_ptr<OpenClExecutable> executable(new OpenClExecutable(runtime, std::move(program), std::move(loaded), count));
  if (counts) FL_TRY_VOID(executable->make_counter());
  const DimFormula* const grid[] = {&kernel.abi.grid_x, &kernel.abi.grid_y, &kernel.abi.grid_z};
  const DimFormula* const block[] = {&kernel.abi.block_x, &kernel.abi.block_y, &kernel.abi.block_z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    FL_TRY(executable->shape_.groups[axis], dimension(*grid[axis], dims, "the number of work-groups"));
    FL_TRY(executable->shape_.group[axis], dimension(*block[axis], dims, "the work-group"));
  }
  FL_TRY_VOID(executable->set_parameters(kernel.abi));
  const auto group = static_cast<std::int64_t>(executable->shape_.items_of_group());
  if (const auto most = executable->kernel_.largest_group(); most && group > *most) {
    return would_not_launch("work-items in a group", group, *most);
  }
  const auto local = executable->kernel_.local_bytes();
  const auto room = info.target.limits.find("shared_bytes");
  if (local && room != info.target.limits.end() && *local > room->second) {
    return would_not_launch("bytes of local memory", *local, room->second);
  }
  return executable;
}

Status OpenClExecutable::enqueue(std::span<const Buffer> arguments) {
  FL_TRY(const std::vector<abi::Memory> places, locate(arguments));
  FL_TRY_VOID(bind(places));
  return launch();
}

Status OpenClExecutable::make_counter() {
  FL_TRY(counter_, DeviceMemory::create(runtime_.context(), {sizeof(std::int64_t[3])}, Access::kWritten));
  FL_TRY_VOID(counter_->write(0, std::vector<std::byte>(sizeof(std::int64_t[3]))));
  FL_TRY(const abi::Memory memory, counter_->part(0, counter_->size().count));
  return kernel_.set_argument(arguments_, sizeof(void*), static_cast<const void*>(&memory));
}

Status OpenClExecutable::set_parameters(const KernelAbi& abi) {
  places_.assign(arguments_, kNotPassed);
  if (abi.parameters.empty()) std::iota(places_.begin(), places_.end(), std::size_t{0});
  for (std::size_t i = 0; i < abi.parameters.size(); ++i) {
    const EntryParameter& each = abi.parameters[i];
    if (each.buffer >= static_cast<int>(arguments_))
      return Error{ErrorCode::kCorrupt, "a parameter of the kernel is argument " + std::to_string(each.buffer) + ", it has " +
                                            std::to_string(arguments_)};
    if (each.buffer >= 0) {
      places_[static_cast<std::size_t>(each.buffer)] = i;
    } else if (each.number.empty()) {
      FL_TRY(const std::int64_t bytes, each.local_bytes.evaluate({}));
      FL_TRY_VOID(kernel_.set_argument(i, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)), nullptr));
    } else {
      FL_TRY(const std::vector<std::byte> number, number_bytes(each));
      FL_TRY_VOID(kernel_.set_argument(i, number.size(), number.data()));
    }
  }
  return {};
}

Result<WrongIndices> OpenClExecutable::wrong_indices() const {
  std::array<std::int64_t, 3> met{};
  if (counter_) FL_TRY_VOID(counter_->read(std::as_writable_bytes(std::span(met)), 0));
  return WrongIndices{met[0], met[1], met[2]};
}

std::vector<Metric> OpenClExecutable::facts() const {
  std::vector<Metric> facts;
  const auto add = [&](const char* name, std::optional<std::int64_t> value, const char* source) {
    Metric& fact = facts.emplace_back();
    fact.name = name;
    fact.source = source;
    if (value)
      fact.value = static_cast<double>(*value);
    else
      fact.reason = "the driver does not say";
  };
  add("static_threads", static_cast<std::int64_t>(shape_.items_of_group()), "the launch");
  add("static_group_limit", kernel_.largest_group(), "CL_KERNEL_WORK_GROUP_SIZE");
  add("static_group_multiple", kernel_.group_multiple(), "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE");
  add("static_shared", kernel_.local_bytes(), "CL_KERNEL_LOCAL_MEM_SIZE");
  add("static_private", kernel_.private_bytes(), "CL_KERNEL_PRIVATE_MEM_SIZE");
  for (const char* const name : {"static_registers", "static_occupancy"}) {
    add(name, std::nullopt, "OpenCL");
    facts.back().reason = "OpenCL reports no registers of a kernel, so nothing follows of what fits on a multiprocessor";
  }
  return facts;
}

Result<std::vector<abi::Memory>> OpenClExecutable::locate(std::span<const Buffer> arguments) const {
  if (arguments.size() != arguments_) {
    return invalid_argument("the kernel takes " + std::to_string(arguments_) + " buffers, got " + std::to_string(arguments.size()));
  }
  std::vector<abi::Memory> places;
  for (const Buffer& buffer : arguments) {
    FL_TRY(const abi::Memory memory, runtime_.memory_of(buffer));
    places.push_back(memory);
  }
  return places;
}

Status OpenClExecutable::bind(std::span<const abi::Memory> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (places_[i] == kNotPassed) continue;
    FL_TRY_VOID(kernel_.set_argument(places_[i], sizeof(void*), static_cast<const void*>(&arguments[i])));
  }
  return {};
}

Status OpenClExecutable::launch(abi::Event* event) {
  runtime_.ran();
  return kernel_.launch(shape_, event);
}

}  // namespace fuselab::opencl
