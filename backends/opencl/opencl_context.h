// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/gpu/lost_device.h"
#include "backends/opencl/opencl_library.h"

namespace fuselab::opencl {

using gpu::OnLost;

// One device, opened: a context and one queue that runs commands in order. Used by one thread.
class OpenClContext {
 public:
  static Result<std::unique_ptr<OpenClContext>> open(std::shared_ptr<const OpenClLibrary> library, abi::Device device,
                                                     std::string name, OnLost on_lost);
  OpenClContext(const OpenClContext&) = delete;
  OpenClContext& operator=(const OpenClContext&) = delete;
  ~OpenClContext();

  const abi::Functions& calls() const { return library_->calls(); }
  abi::Context handle() const { return context_; }
  abi::Queue queue() const { return queue_; }
  abi::Device device() const { return device_; }
  // Returns success, or an error with the action, the device and the code.
  Status check(abi::Code code, const std::string& what) const { return library_->check(code, name_ + ": " + what); }
  // Waits for everything that was queued. A failure is that of a kernel: OnLost is called.
  Status finish(const std::string& what);

 private:
  OpenClContext(std::shared_ptr<const OpenClLibrary> library, abi::Device device, std::string name, OnLost on_lost)
      : library_(std::move(library)), device_(device), name_(std::move(name)), on_lost_(std::move(on_lost)) {}

  std::shared_ptr<const OpenClLibrary> library_;
  abi::Device device_;
  std::string name_;
  OnLost on_lost_;
  abi::Context context_ = nullptr;
  abi::Queue queue_ = nullptr;
};

// A program that was built for the context's device. Owns it; must be destroyed before its context.
class BuiltProgram {
 public:
  // Fails with kCompileFailed and the driver's own words.
  static Result<BuiltProgram> of_source(const OpenClContext& context, const std::string& text, const std::string& options);
  // `options` are those that the binary was made with.
  static Result<BuiltProgram> of_binary(const OpenClContext& context, std::span<const std::byte> binary,
                                        const std::string& options);
  BuiltProgram(BuiltProgram&& other) noexcept
      : context_(other.context_), program_(std::exchange(other.program_, nullptr)), log_(std::move(other.log_)) {}
  BuiltProgram& operator=(BuiltProgram&&) = delete;
  ~BuiltProgram();

  const OpenClContext& context() const { return *context_; }
  const std::string& log() const { return log_; }
  Result<std::vector<std::byte>> binary() const;
  Result<abi::Kernel> create_kernel(const std::string& name) const;

 private:
  BuiltProgram(const OpenClContext& context, abi::Program program) : context_(&context), program_(program) {}
  Status build(const std::string& options);

  const OpenClContext* context_;
  abi::Program program_;
  std::string log_;
};

// Work-groups, and work-items of one, along x, y and z.
struct LaunchShape {
  std::array<std::size_t, 3> groups = {1, 1, 1}, group = {1, 1, 1};
  std::size_t items_of_group() const { return group[0] * group[1] * group[2]; }
};

// A kernel of a program, released with the object.
class LoadedKernel {
 public:
  static Result<LoadedKernel> load(const BuiltProgram& program, const std::string& name);
  LoadedKernel(LoadedKernel&& other) noexcept : context_(other.context_), kernel_(std::exchange(other.kernel_, nullptr)) {}
  LoadedKernel& operator=(LoadedKernel&&) = delete;
  ~LoadedKernel();

  abi::Kernel handle() const { return kernel_; }
  // Returns nothing when the driver does not report it.
  std::optional<std::int64_t> number_of_arguments() const;
  std::optional<std::int64_t> local_bytes() const;
  std::optional<std::int64_t> largest_group() const;
  std::optional<std::int64_t> group_multiple() const;
  std::optional<std::int64_t> private_bytes() const;
  Status set_argument(std::size_t index, std::size_t bytes, const void* value) const;
  // Queues the launch; `event` may be null.
  Status launch(const LaunchShape& shape, abi::Event* event = nullptr) const;

 private:
  // Asks for a number of the kernel on its device: 64 bits, as sizes are, too.
  std::optional<std::int64_t> group_info(abi::Name what) const;
  LoadedKernel(const OpenClContext& context, abi::Kernel kernel) : context_(&context), kernel_(kernel) {}

  const OpenClContext* context_;
  abi::Kernel kernel_;
};

}  // namespace fuselab::opencl
