// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_context.h"

namespace fuselab::opencl {
namespace {

using namespace abi;

constexpr std::size_t kLongestWords = 4000;  // of a compile error
constexpr std::size_t kLargestBinary = std::size_t{1} << 30;

}  // namespace

Result<std::unique_ptr<OpenClContext>> OpenClContext::open(std::shared_ptr<const OpenClLibrary> library, Device device,
                                                           std::string name, OnLost on_lost) {
  std::unique_ptr<OpenClContext> context(new OpenClContext(std::move(library), device, std::move(name), std::move(on_lost)));
  Code code = kSuccess;
  context->context_ = context->calls().create_context(nullptr, 1, &device, nullptr, nullptr, &code);
  FL_TRY_VOID(context->check(code, "it cannot be opened (clCreateContext)"));
  context->queue_ = context->calls().create_queue(context->context_, device, kQueueProfilingEnable, &code);
  FL_TRY_VOID(context->check(code, "it has no queue (clCreateCommandQueue)"));
  return context;
}

OpenClContext::~OpenClContext() {
  if (queue_ != nullptr) calls().release_queue(queue_);
  if (context_ != nullptr) calls().release_context(context_);
}

Status OpenClContext::finish(const std::string& what) {
  const Status status = check(calls().finish(queue_), what);
  if (!status.ok() && on_lost_) on_lost_(status.error().message);
  return status;
}

Result<BuiltProgram> BuiltProgram::of_source(const OpenClContext& context, const std::string& text, const std::string& options) {
  const char* words = text.c_str();
  const std::size_t length = text.size();
  Code code = kSuccess;
  BuiltProgram program(context, context.calls().program_of_source(context.handle(), 1, &words, &length, &code));
  FL_TRY_VOID(context.check(code, "taking a kernel's text (clCreateProgramWithSource)"));
  FL_TRY_VOID(program.build(options));
  return program;
}

Result<BuiltProgram> BuiltProgram::of_binary(const OpenClContext& context, std::span<const std::byte> binary,
                                             const std::string& options) {
  const Device device = context.device();
  const std::size_t length = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  Code status = kSuccess, code = kSuccess;
  BuiltProgram program(context, context.calls().program_of_binary(context.handle(), 1, &device, &length, &bytes, &status, &code));
  FL_TRY_VOID(context.check(code == kSuccess ? status : code, "loading a kernel (clCreateProgramWithBinary)"));
  FL_TRY_VOID(program.build(options));
  return program;
}

Status BuiltProgram::build(const std::string& options) {
  const auto& calls = context_->calls();
  const Device device = context_->device();
  const Code code = calls.build(program_, 1, &device, options.c_str(), nullptr, nullptr);
  std::size_t size = 0;
  if (calls.build_info(program_, device, kProgramBuildLog, 0, nullptr, &size) == kSuccess && size > 1 && size < kLargestBinary) {
    log_.resize(size);
    if (calls.build_info(program_, device, kProgramBuildLog, size, log_.data(), nullptr) != kSuccess) log_.clear();
    while (!log_.empty() && (log_.back() == '\0' || log_.back() == '\n')) log_.pop_back();
  }
  const Status built = context_->check(code, "building a kernel (clBuildProgram)");
  if (built.ok() || log_.empty()) return built;
  return Error{built.error().code, built.error().message + ": " + log_.substr(0, kLongestWords)};
}

BuiltProgram::~BuiltProgram() {
  if (program_ != nullptr) context_->calls().release_program(program_);
}

Result<std::vector<std::byte>> BuiltProgram::binary() const {
  const auto& calls = context_->calls();
  std::size_t size = 0;
  FL_TRY_VOID(context_->check(calls.program_info(program_, kProgramBinarySizes, sizeof size, &size, nullptr),
                              "asking for a kernel's binary (CL_PROGRAM_BINARY_SIZES)"));
  if (size == 0 || size > kLargestBinary) {
    return Error{ErrorCode::kUnsupported, "the driver gives no binary of a kernel: it says " + std::to_string(size) + " bytes"};
  }
  std::vector<std::byte> bytes(size);
  auto* to = reinterpret_cast<unsigned char*>(bytes.data());
  FL_TRY_VOID(context_->check(calls.program_info(program_, kProgramBinaries, sizeof to, static_cast<void*>(&to), nullptr),
                              "asking for a kernel's binary (CL_PROGRAM_BINARIES)"));
  return bytes;
}

Result<Kernel> BuiltProgram::create_kernel(const std::string& name) const {
  Code code = kSuccess;
  const Kernel kernel = context_->calls().create_kernel(program_, name.c_str(), &code);
  FL_TRY_VOID(context_->check(code, "looking for the kernel " + name));
  return kernel;
}

Result<LoadedKernel> LoadedKernel::load(const BuiltProgram& program, const std::string& name) {
  FL_TRY(const Kernel kernel, program.create_kernel(name));
  return LoadedKernel(program.context(), kernel);
}

LoadedKernel::~LoadedKernel() {
  if (kernel_ != nullptr) context_->calls().release_kernel(kernel_);
}

std::optional<std::int64_t> LoadedKernel::number_of_arguments() const {
  std::uint32_t count = 0;
  if (context_->calls().kernel_info(kernel_, kKernelNumArgs, sizeof count, &count, nullptr) != kSuccess) return std::nullopt;
  return count;
}

std::optional<std::int64_t> LoadedKernel::group_info(Name what) const {
  std::uint64_t value = 0;
  static_assert(sizeof(std::size_t) == sizeof value);
  const auto& calls = context_->calls();
  if (calls.work_group_info(kernel_, context_->device(), what, sizeof value, &value, nullptr) != kSuccess) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> LoadedKernel::local_bytes() const {
  return group_info(kKernelLocalMemSize);
}

std::optional<std::int64_t> LoadedKernel::largest_group() const {
  return group_info(kKernelWorkGroupSize);
}

std::optional<std::int64_t> LoadedKernel::group_multiple() const {
  return group_info(kKernelPreferredWorkGroupSizeMultiple);
}

std::optional<std::int64_t> LoadedKernel::private_bytes() const {
  return group_info(kKernelPrivateMemSize);
}

Status LoadedKernel::set_argument(std::size_t index, std::size_t bytes, const void* value) const {
  return context_->check(context_->calls().set_argument(kernel_, static_cast<std::uint32_t>(index), bytes, value),
                         "setting argument " + std::to_string(index));
}

Status LoadedKernel::launch(const LaunchShape& shape, Event* event) const {
  std::array<std::size_t, 3> global = shape.groups;
  std::uint32_t axes = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    global[axis] *= shape.group[axis];
    if (global[axis] > 1) axes = static_cast<std::uint32_t>(axis + 1);
  }
  return context_->check(
      context_->calls().launch(context_->queue(), kernel_, axes, nullptr, global.data(), shape.group.data(), 0, nullptr, event),
      "launching a kernel");
}

}  // namespace fuselab::opencl
