// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/library/pjrt_library.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "backends/loading/library_build.h"
#include "core/base/plain_text.h"

namespace fuselab::xla {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"pjrt_c_api_cpu_plugin.so"};
constexpr std::string_view kWheelFolders[] = {"lammps_jax_pjrt_cpu"};

// CompileOptionsProto { executable_build_options { num_replicas: 1, num_partitions: 1 } }: XLA aborts without it.
constexpr char kCompileOptions[] = {0x1a, 4, 0x20, 1, 0x28, 1};

// A struct of arguments that says its own size, with every default.
template <typename Args>
Args args() {
  Args made{};
  made.struct_size = sizeof(Args);
  return made;
}

std::optional<BufferType> buffer_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return kPred;
    case DType::kI8: return kS8;
    case DType::kI16: return kS16;
    case DType::kI32: return kS32;
    case DType::kI64: return kS64;
    case DType::kU8: return kU8;
    case DType::kU16: return kU16;
    case DType::kU32: return kU32;
    case DType::kU64: return kU64;
    case DType::kF16: return kF16;
    case DType::kF32: return kF32;
    case DType::kF64: return kF64;
    case DType::kBF16: return kBF16;
    default: return std::nullopt;
  }
}

Error unavailable(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

}  // namespace

bool is_xla_type(DType dtype) {
  return buffer_type(dtype).has_value();
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (buffer_ == nullptr) return;
  BufferArgs call = args<BufferArgs>();
  call.buffer = buffer_;
  [[maybe_unused]] const Status freed =
      library_->check(library_->api().destroy_buffer(&call), "freeing a buffer", ErrorCode::kInternal);
}

Program::~Program() {
  if (executable_ == nullptr) return;
  LoadedArgs call = args<LoadedArgs>();
  call.executable = executable_;
  [[maybe_unused]] const Status freed =
      library_->check(library_->api().destroy_loaded(&call), "freeing a program", ErrorCode::kInternal);
}

Result<std::vector<std::byte>> Program::serialized() const {
  GetExecutableArgs get = args<GetExecutableArgs>();
  get.loaded = executable_;
  FL_TRY_VOID(library_->check(library_->api().get_executable(&get), "asking for the program", ErrorCode::kCompileFailed));
  SerializeArgs call = args<SerializeArgs>();
  call.executable = get.executable;
  const Status written = library_->check(library_->api().serialize(&call), "serialising the program", ErrorCode::kCompileFailed);
  std::vector<std::byte> bytes;
  if (written.ok()) {
    const auto* const begin = reinterpret_cast<const std::byte*>(call.bytes);
    bytes.assign(begin, begin + call.size);
    if (call.destroy_holder != nullptr) call.destroy_holder(call.holder);
  }
  ExecutableArgs end = args<ExecutableArgs>();
  end.executable = get.executable;
  FL_TRY_VOID(library_->check(library_->api().destroy_executable(&end), "freeing the program", ErrorCode::kInternal));
  if (!written.ok()) return written.error();
  return bytes;
}

Status Program::execute(std::span<PjrtBuffer* const> inputs, std::span<PjrtBuffer*> outputs) const {
  ExecuteOptions options = args<ExecuteOptions>();
  ExecuteArgs call = args<ExecuteArgs>();
  PjrtBuffer* const* const arguments[] = {inputs.data()};
  PjrtBuffer** const results[] = {outputs.data()};
  call.executable = executable_;
  call.options = &options;
  call.arguments = arguments;
  call.devices = 1;
  call.argument_count = inputs.size();
  call.outputs = results;
  return library_->check(library_->api().execute(&call), "running the program", ErrorCode::kLaunchFailed);
}

Result<std::shared_ptr<PjrtLibrary>> PjrtLibrary::open() {
  return open(loading::real_surroundings("XLA"));
}

Result<std::shared_ptr<PjrtLibrary>> PjrtLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary names{
      .name = "XLA", .sonames = kSonames, .folders = {}, .wheel_folders = kWheelFolders, .stack = "xla"};
  ::unsetenv("XLA_FLAGS");  // they would change what is compiled, and stand in no kernel's identity
  FL_TRY(const loading::OpenedLibrary opened, open_vendor_library(names, surroundings));
  const Api* (*get_api)() = nullptr;
  const loading::Symbol symbol{"GetPjrtApi", reinterpret_cast<void**>(&get_api)};
  FL_TRY_VOID(loading::resolve(opened, {&symbol, 1}));
  std::shared_ptr<PjrtLibrary> library(new PjrtLibrary());
  library->api_ = get_api();
  library->path_ = opened.path;
  const Api* const api = library->api_;
  if (api == nullptr) return unavailable(opened.path + " has no PJRT interface");
  library->interface_ = std::to_string(api->version.major) + "." + std::to_string(api->version.minor);
  if (api->version.major != kMajor || api->version.minor < kOldestMinor || api->struct_size < sizeof(Api)) {
    return unavailable(opened.path + " has version " + library->interface_ + " of the PJRT interface; 0." +
                       std::to_string(kOldestMinor) + " and later ones of version 0 are known");
  }
  library->build_ = loading::build_of(opened.path);
  FL_TRY_VOID(library->begin());
  return library;
}

Status PjrtLibrary::begin() {
  InitializeArgs call = args<InitializeArgs>();
  FL_TRY_VOID(check(api_->initialize(&call), "initialising the plugin", ErrorCode::kUnavailable));
  AttributesArgs about = args<AttributesArgs>();
  FL_TRY_VOID(check(api_->attributes(&about), "asking the plugin about itself", ErrorCode::kUnavailable));
  for (std::size_t i = 0; i < about.count; ++i) {
    const NamedValue& attribute = about.attributes[i];
    if (std::string_view(attribute.name, attribute.name_size) != "stablehlo_current_version" || attribute.type != 2) continue;
    for (std::size_t part = 0; part < attribute.value_size; ++part)
      stablehlo_ += (part > 0 ? "." : "") + std::to_string(attribute.integers[part]);
  }
  return {};
}

Status PjrtLibrary::check(PjrtError* error, std::string_view what, ErrorCode code) const {
  if (error == nullptr) return {};
  ErrorMessageArgs message = args<ErrorMessageArgs>();
  message.error = error;
  api_->error_message(&message);
  std::string text(message.message == nullptr ? "" : std::string(message.message, message.message_size));
  ErrorArgs end = args<ErrorArgs>();
  end.error = error;
  api_->destroy_error(&end);
  return Error{code, std::string(what) + ": " + plain_line(text.substr(0, 500))};
}

// XLA makes as many threads for a client as this variable says when the client is made.
Result<PjrtLibrary::ClientOfThreads> PjrtLibrary::client(int threads) {
  if (const auto known = clients_.find(threads); known != clients_.end()) return known->second;
  ::setenv("PJRT_NPROC", std::to_string(threads).c_str(), 1);
  ClientCreateArgs call = args<ClientCreateArgs>();
  FL_TRY_VOID(check(api_->create_client(&call), "making a client", ErrorCode::kUnavailable));
  DevicesArgs devices = args<DevicesArgs>();
  devices.client = call.client;
  FL_TRY_VOID(check(api_->addressable_devices(&devices), "asking for devices", ErrorCode::kUnavailable));
  if (devices.count == 0) return unavailable(path_ + " has no device here");
  return clients_[threads] = {call.client, devices.devices[0]};
}

Result<Program> PjrtLibrary::compile(const std::string& text, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  std::string code = text;
  ProgramText program = args<ProgramText>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  CompileArgs call = args<CompileArgs>();
  call.client = of.client;
  call.program = &program;
  call.options = kCompileOptions;
  call.options_size = sizeof kCompileOptions;
  FL_TRY_VOID(check(api_->compile(&call), "XLA", ErrorCode::kCompileFailed));
  return Program(this, call.executable);
}

Result<Program> PjrtLibrary::load_program(std::span<const std::byte> serialized, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  DeserializeArgs call = args<DeserializeArgs>();
  call.client = of.client;
  call.bytes = reinterpret_cast<const char*>(serialized.data());
  call.size = serialized.size();
  FL_TRY_VOID(check(api_->deserialize(&call), "loading the program", ErrorCode::kLaunchFailed));
  return Program(this, call.executable);
}

Result<DeviceBuffer> PjrtLibrary::to_device(std::span<const std::byte> bytes, DType dtype, std::int64_t elements, int threads) {
  FL_TRY(const ClientOfThreads of, client(threads));
  const auto type = buffer_type(dtype);
  if (!type) return Error{ErrorCode::kUnsupported, "XLA has no buffers of " + std::string(name_of(dtype))};
  if (packed_size(dtype, elements).count > static_cast<std::int64_t>(bytes.size()))
    return invalid_argument("a buffer is too short for its tensor");
  FromHostArgs call = args<FromHostArgs>();
  call.client = of.client;
  call.data = bytes.data();
  call.type = *type;
  call.extents = &elements;
  call.rank = 1;
  call.semantics = kImmutableOnlyDuringCall;
  call.device = of.device;
  FL_TRY_VOID(check(api_->from_host(&call), "copying to XLA", ErrorCode::kOutOfMemory));
  DeviceBuffer made(this, call.buffer);
  FL_TRY_VOID(await(call.done_with_host));
  FL_TRY_VOID(await(made.get()));
  return made;
}

Status PjrtLibrary::to_host(const DeviceBuffer& buffer, std::span<std::byte> bytes) const {
  ToHostArgs call = args<ToHostArgs>();
  call.buffer = buffer.get();
  call.to = bytes.data();
  call.size = bytes.size();
  FL_TRY_VOID(check(api_->to_host(&call), "copying from XLA", ErrorCode::kLaunchFailed));
  return await(call.event);
}

Status PjrtLibrary::await(PjrtBuffer* buffer) const {
  ReadyArgs call = args<ReadyArgs>();
  call.buffer = buffer;
  FL_TRY_VOID(check(api_->ready_event(&call), "asking when a buffer is computed", ErrorCode::kLaunchFailed));
  return await(call.event);
}

Status PjrtLibrary::await(Event* event) const {
  if (event == nullptr) return {};
  EventArgs call = args<EventArgs>();
  call.event = event;
  const Status waited = check(api_->await(&call), "running the program", ErrorCode::kLaunchFailed);
  FL_TRY_VOID(check(api_->destroy_event(&call), "freeing an event", ErrorCode::kInternal));
  return waited;
}

}  // namespace fuselab::xla
