// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/library/pjrt_library.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"

namespace fuselab::xla {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"pjrt_c_api_cpu_plugin.so"};
constexpr std::string_view kWheelFolders[] = {"lammps_jax_pjrt_cpu"};

std::optional<BufferType> buffer_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return kPred;
    case DType::kI32: return kS32;
    case DType::kI64: return kS64;
    case DType::kF32: return kF32;
    default: return std::nullopt;
  }
}

Error unavailable(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

}  // namespace

bool is_asked_type(DType dtype) {
  return buffer_type(dtype).has_value();
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (buffer_ == nullptr) return;
  auto call = args<ObjectArgs<PjrtBuffer>>();
  call.object = buffer_;
  [[maybe_unused]] const Status freed =
      library_->check(library_->api().destroy_buffer(&call), "freeing a buffer", ErrorCode::kInternal);
}

Program::~Program() {
  if (executable_ == nullptr) return;
  auto call = args<ObjectArgs<LoadedExecutable>>();
  call.object = executable_;
  [[maybe_unused]] const Status freed =
      library_->check(library_->api().destroy_loaded(&call), "freeing a program", ErrorCode::kInternal);
}

Status Program::ask(const std::function<Status(Executable*)>& question) const {
  GetExecutableArgs get = args<GetExecutableArgs>();
  get.loaded = executable_;
  FL_TRY_VOID(library_->check(library_->api().get_executable(&get), "asking for the program", ErrorCode::kCompileFailed));
  const Status answered = question(get.executable);
  auto end = args<ObjectArgs<Executable>>();
  end.object = get.executable;
  FL_TRY_VOID(library_->check(library_->api().destroy_executable(&end), "freeing the program", ErrorCode::kInternal));
  return answered;
}

Result<std::string> Program::serialized() const {
  std::string bytes;
  const Status asked = ask([&](Executable* executable) -> Status {
    SerializeArgs call = args<SerializeArgs>();
    call.executable = executable;
    FL_TRY_VOID(library_->check(library_->api().serialize(&call), "serialising the program", ErrorCode::kCompileFailed));
    bytes.assign(call.bytes, call.size);
    if (call.destroy_holder != nullptr) call.destroy_holder(call.holder);
    return {};
  });
  if (!asked.ok()) return asked.error();
  return bytes;
}

Result<std::size_t> Program::output_count() const {
  OutputCountArgs call = args<OutputCountArgs>();
  FL_TRY_VOID(ask([&](Executable* executable) {
    call.executable = executable;
    return library_->check(library_->api().output_count(&call), "asking for the number of results", ErrorCode::kLaunchFailed);
  }));
  return call.count;
}

Status Program::execute(std::span<PjrtBuffer* const> given, std::span<PjrtBuffer*> outputs) const {
  ExecuteOptions options = args<ExecuteOptions>();
  ExecuteArgs call = args<ExecuteArgs>();
  PjrtBuffer* const* const arguments[] = {given.data()};
  PjrtBuffer** const results[] = {outputs.data()};
  Event* complete = nullptr;
  call.executable = executable_;
  call.options = &options;
  call.arguments = arguments;
  call.devices = 1;
  call.argument_count = given.size();
  call.outputs = results;
  call.complete = &complete;
  FL_TRY_VOID(library_->check(library_->api().execute(&call), "running the program", ErrorCode::kLaunchFailed));
  return library_->await(complete);
}

Result<std::shared_ptr<PjrtLibrary>> PjrtLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary names{
      .name = "XLA", .sonames = kSonames, .folders = {}, .wheel_folders = kWheelFolders, .stack = "xla"};
  FL_TRY(PjrtPlugin plugin, open_plugin(names, surroundings));
  std::shared_ptr<PjrtLibrary> library(new PjrtLibrary(std::move(plugin)));
  library->cpus_ = host::usable_cpus();
  return library;
}

std::vector<int> PjrtLibrary::processors_of(int threads) const {
  return {cpus_.begin(), cpus_.begin() + std::clamp(threads, 1, static_cast<int>(cpus_.size()))};
}

void PjrtLibrary::hold_to(int threads) {
  if (threads != held_) host::pin_thread(processors_of(threads));
  held_ = threads;
}

// XLA makes as many threads for a client as this variable says when the client is made. They stay where their maker was.
Result<PjrtLibrary::ClientOfThreads> PjrtLibrary::client(int threads) {
  if (const auto known = clients_.find(threads); known != clients_.end()) return known->second;
  ::setenv("PJRT_NPROC", std::to_string(threads).c_str(), 1);
  const host::PinnedScope scope(processors_of(threads));
  ClientCreateArgs call = args<ClientCreateArgs>();
  FL_TRY_VOID(check(plugin_.api->create_client(&call), "making a client", ErrorCode::kUnavailable));
  DevicesArgs devices = args<DevicesArgs>();
  devices.client = call.client;
  FL_TRY_VOID(check(plugin_.api->addressable_devices(&devices), "asking for devices", ErrorCode::kUnavailable));
  if (devices.count == 0) return unavailable(path() + " has no device here");
  return clients_[threads] = {call.client, devices.devices[0]};
}

Result<Program> PjrtLibrary::compile(const std::string& text, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  std::string code = text;
  const ProgramText program = stablehlo_program(code);
  CompileArgs call = args<CompileArgs>();
  call.client = of.client;
  call.program = &program;
  call.options = kCompileOptions;
  call.options_size = sizeof kCompileOptions;
  FL_TRY_VOID(check(plugin_.api->compile(&call), "XLA", ErrorCode::kCompileFailed));
  return Program(this, call.executable);
}

Result<Program> PjrtLibrary::load_program(std::string_view serialized, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  DeserializeArgs call = args<DeserializeArgs>();
  call.client = of.client;
  call.bytes = serialized.data();
  call.size = serialized.size();
  FL_TRY_VOID(check(plugin_.api->deserialize(&call), "loading the program", ErrorCode::kLaunchFailed));
  return Program(this, call.executable);
}

Result<DeviceBuffer> PjrtLibrary::view(std::byte* memory, const TensorType& type, bool writable, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  const auto number = buffer_type(type.dtype);
  if (!number) return Error{ErrorCode::kUnsupported, "XLA is given no buffers of " + std::string(name_of(type.dtype))};
  FL_TRY(const std::int64_t elements, element_count(type.shape));
  FromHostArgs call = args<FromHostArgs>();
  call.client = of.client;
  call.data = memory;
  call.type = *number;
  call.extents = &elements;
  call.rank = 1;
  call.semantics = writable ? kMutableZeroCopy : kImmutableZeroCopy;
  call.device = of.device;
  FL_TRY_VOID(check(plugin_.api->from_host(&call), "lending memory to XLA", ErrorCode::kOutOfMemory));
  DeviceBuffer made(this, call.buffer);
  FL_TRY_VOID(free(call.done_with_host));  // it comes when the buffer is freed
  FL_TRY_VOID(lies_at(made.get(), memory));
  return made;
}

Status PjrtLibrary::lies_at(PjrtBuffer* buffer, const std::byte* memory) const {
  AddressArgs call = args<AddressArgs>();
  call.buffer = buffer;
  FL_TRY_VOID(check(plugin_.api->address(&call), "asking where a buffer lies", ErrorCode::kLaunchFailed));
  if (call.address == memory) return {};
  return Error{ErrorCode::kUnsupported, path() + " copies the memory that it is lent"};
}

Status PjrtLibrary::await(Event* event) const {
  if (event == nullptr) return {};
  auto call = args<ObjectArgs<Event>>();
  call.object = event;
  const Status waited = check(plugin_.api->await(&call), "running the program", ErrorCode::kLaunchFailed);
  FL_TRY_VOID(free(event));
  return waited;
}

Status PjrtLibrary::free(Event* event) const {
  if (event == nullptr) return {};
  auto call = args<ObjectArgs<Event>>();
  call.object = event;
  return check(plugin_.api->destroy_event(&call), "freeing an event", ErrorCode::kInternal);
}

}  // namespace fuselab::xla
