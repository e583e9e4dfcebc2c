// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_runtime.h"

#include <algorithm>
#include <cstring>

#include "backends/host/empty_timings.h"
#include "backends/xla/xla_provider.h"
#include "core/backend/last_cache.h"
#include "core/platform/system/clock.h"

namespace fuselab::xla {
namespace {

constexpr std::int64_t kDefaultCache = std::int64_t{32} << 20;
constexpr std::byte kPoison{0xFF};  // NaN in every floating type

struct ArgumentType {
  DType dtype;
  std::int64_t elements;
};

class XlaExecutable final : public Executable {
 public:
  XlaExecutable(XlaRuntime& runtime, Program program, std::vector<ArgumentType> inputs, std::vector<ArgumentType> outputs,
                int threads)
      : runtime_(runtime),
        program_(std::move(program)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        threads_(threads),
        given_(inputs_.size() + outputs_.size()),
        made_(outputs_.size()) {}

  Status enqueue(std::span<const Buffer> arguments) override {
    FL_TRY_VOID(check_count(arguments));
    FL_TRY_VOID(launch(arguments));
    return wait(arguments);
  }

  Status check_count(std::span<const Buffer> arguments) const {
    if (arguments.size() == inputs_.size() + outputs_.size()) return {};
    return invalid_argument("the kernel takes " + std::to_string(inputs_.size() + outputs_.size()) + " buffers, got " +
                            std::to_string(arguments.size()));
  }

  // Copies inputs that XLA does not hold yet, and provides memory for outputs.
  Status bind(std::span<const Buffer> arguments) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      FL_TRY(given_[i], runtime_.input(arguments[i], inputs_[i].dtype, inputs_[i].elements, threads_));
    }
    for (std::size_t i = 0, at = inputs_.size(); i < outputs_.size(); ++i, ++at) {
      FL_TRY(given_[at], runtime_.output(arguments[at], outputs_[i].dtype, outputs_[i].elements, threads_));
    }
    return {};
  }

  // Begins the program; its outputs take the memory of what their buffers held.
  Status launch(std::span<const Buffer> arguments) {
    FL_TRY_VOID(bind(arguments));
    const Status began = program_.execute(given_, made_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      FL_TRY(XlaMemory* const memory, runtime_.memory_of(arguments[inputs_.size() + i]));
      memory->device.reset();  // given away
      if (began.ok())
        memory->device = {DeviceBuffer(&runtime_.library(), made_[i]), outputs_[i].dtype, outputs_[i].elements, threads_};
    }
    return began;
  }

  Status wait(std::span<const Buffer> arguments) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      FL_TRY(const XlaMemory* const memory, runtime_.memory_of(arguments[inputs_.size() + i]));
      FL_TRY_VOID(runtime_.library().await(memory->device->buffer.get()));
    }
    return {};
  }

 private:
  XlaRuntime& runtime_;
  Program program_;
  std::vector<ArgumentType> inputs_, outputs_;
  int threads_;
  std::vector<abi::PjrtBuffer*> given_, made_;  // inputs and memory of outputs, and outputs, of the launch in hand
};

XlaExecutable& of(const Launch& step) {
  return static_cast<XlaExecutable&>(*step.executable);
}

Result<ArgumentType> type_of(const KernelArgument& argument) {
  std::int64_t elements = 1;
  for (const Dim& dim : argument.type.shape) {
    if (dim.is_symbol()) return Error{ErrorCode::kCorrupt, "argument '" + argument.name + "' has an unbound extent"};
    elements *= dim.extent();
  }
  return ArgumentType{argument.type.dtype, elements};
}

}  // namespace

Result<Buffer> XlaRuntime::allocate(Bytes size, BufferRole role) {
  if (size.count > info_.total_memory_bytes.value_or(size.count))
    return Error{ErrorCode::kOutOfMemory, "a buffer of " + format_bytes(size) + " is larger than the memory"};
  const std::uint64_t handle = ++last_handle_;
  XlaMemory& memory = memory_[{handle, 0}];
  memory.size = size;
  memory.host.assign(static_cast<std::size_t>(size.count), kPoison);
  return Buffer{handle, size, 0, 64, role};
}

Status XlaRuntime::release(const Buffer& buffer) {
  const auto whole = memory_.find({buffer.handle, 0});
  if (whole == memory_.end()) return invalid_argument("the buffer is not one of " + info_.id);
  auto end = whole;
  while (end != memory_.end() && end->first.first == buffer.handle) ++end;  // its parts stand behind it
  memory_.erase(whole, end);
  return {};
}

Result<XlaMemory*> XlaRuntime::memory_of(const Buffer& buffer) {
  const auto whole = memory_.find({buffer.handle, 0});
  if (whole == memory_.end() || buffer.offset < 0 || buffer.offset + buffer.size.count > whole->second.size.count)
    return invalid_argument("the buffer is not one of " + info_.id);
  const auto [found, is_new] = memory_.try_emplace({buffer.handle, buffer.offset});
  if (is_new) {
    found->second.size = buffer.size;
    found->second.host.assign(static_cast<std::size_t>(buffer.size.count), kPoison);
  }
  return &found->second;
}

// Brings what XLA holds back to the host, which then has the newest numbers.
Status XlaRuntime::read_back(XlaMemory& memory) const {
  if (!memory.device) return {};
  const auto bytes = static_cast<std::size_t>(packed_size(memory.device->dtype, memory.device->elements).count);
  memory.host.resize(static_cast<std::size_t>(memory.size.count), kPoison);
  if (bytes > memory.host.size()) return invalid_argument("a tensor is larger than its buffer");
  FL_TRY_VOID(library_->to_host(memory.device->buffer, std::span(memory.host).first(bytes)));
  memory.device.reset();
  return {};
}

Status XlaRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(XlaMemory* const memory, memory_of(to));
  if (static_cast<std::int64_t>(from.size()) > memory->size.count) return invalid_argument("more bytes than the buffer has");
  memory->device.reset();
  memory->spare.clear();
  memory->host.resize(static_cast<std::size_t>(memory->size.count), kPoison);
  std::memcpy(memory->host.data(), from.data(), from.size());
  return {};
}

Status XlaRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(XlaMemory* const memory, memory_of(from));
  FL_TRY_VOID(read_back(*memory));
  if (to.size() > memory->host.size()) return invalid_argument("more bytes than the buffer has");
  std::memcpy(to.data(), memory->host.data(), to.size());
  return {};
}

Result<abi::PjrtBuffer*> XlaRuntime::input(const Buffer& buffer, DType dtype, std::int64_t elements, int threads) {
  FL_TRY(XlaMemory* const memory, memory_of(buffer));
  auto& device = memory->device;
  if (device && device->holds(dtype, elements, threads)) return device->buffer.get();
  FL_TRY_VOID(read_back(*memory));
  FL_TRY(DeviceBuffer made, library_->to_device(memory->host, dtype, elements, threads));
  device = {std::move(made), dtype, elements, threads};
  return device->buffer.get();
}

Result<abi::PjrtBuffer*> XlaRuntime::output(const Buffer& buffer, DType dtype, std::int64_t elements, int threads) {
  FL_TRY(XlaMemory* const memory, memory_of(buffer));
  auto& [size, host, device, spare] = *memory;
  if (device && device->holds(dtype, elements, threads)) return device->buffer.get();
  if (device) {
    const auto fits = [&](const XlaMemory::OnDevice& each) { return each.holds(dtype, elements, threads); };
    const auto found = std::find_if(spare.begin(), spare.end(), fits);
    if (found != spare.end()) {
      std::swap(*device, *found);
      return device->buffer.get();
    }
    // A buffer that many types share in turn keeps few of them: each is as large as all that the host holds of it.
    constexpr std::size_t kMostSpares = 2;
    if (spare.size() >= kMostSpares) spare.erase(spare.begin());
    spare.push_back(std::move(*device));
    device.reset();
    host.resize(static_cast<std::size_t>(size.count), kPoison);
  }
  FL_TRY(DeviceBuffer made, library_->to_device(host, dtype, elements, threads));
  device = {std::move(made), dtype, elements, threads};
  return device->buffer.get();
}

Result<std::unique_ptr<Executable>> XlaRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != kProgramFormat) {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  if (kernel.identity.target != info_.target.id) {
    return Error{ErrorCode::kUnsupported,
                 info_.id + " runs programs for " + info_.target.id + ", not for " + kernel.identity.target};
  }
  std::vector<ArgumentType> inputs, outputs;
  for (const KernelArgument& argument : kernel.abi.arguments) {
    FL_TRY(const ArgumentType type, type_of(argument));
    (argument.role == BufferRole::kIn ? inputs : outputs).push_back(type);
  }
  const auto threads = static_cast<int>(std::max<std::int64_t>(1, kernel.config.integer("threads", 1)));
  FL_TRY(Program program, library_->load_program(kernel.binary.data, threads));
  return std::unique_ptr<Executable>(
      std::make_unique<XlaExecutable>(*this, std::move(program), std::move(inputs), std::move(outputs), threads));
}

Result<Timing> XlaRuntime::time(std::span<const Launch> sequence, int repetitions) {
  for (const Launch& step : sequence) {
    FL_TRY_VOID(of(step).check_count(step.arguments));
    FL_TRY_VOID(of(step).bind(step.arguments));
  }
  const Nanoseconds start = platform::monotonic_now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const Launch& step : sequence) FL_TRY_VOID(of(step).launch(step.arguments));
    // Programs run behind their launch, and independent steps may end in any order.
    for (const Launch& step : sequence) FL_TRY_VOID(of(step).wait(step.arguments));
  }
  const Nanoseconds end = platform::monotonic_now();
  return Timing{{end.count - start.count}, TimingSource::kHostWall};
}

Result<std::vector<Timing>> XlaRuntime::time_nothing(int times) {
  return host::time_nothing(times);
}

Status XlaRuntime::flush_caches() {
  if (evictor_.empty()) {
    const std::int64_t cache = last_cache_bytes(info_);
    evictor_.resize(static_cast<std::size_t>(4 * (cache > 0 ? cache : kDefaultCache)));
  }
  // Written, not read: every line must be owned by this buffer afterwards.
  for (std::size_t i = 0; i < evictor_.size(); i += 64)
    evictor_[i] = static_cast<std::byte>(static_cast<unsigned>(evictor_[i]) + 1U);
  return {};
}

}  // namespace fuselab::xla
