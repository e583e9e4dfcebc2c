// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/library/onednn_library.h"

#include <vector>

#include "backends/host/processor.h"

namespace fuselab::onednn {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"libdnnl.so.3", "libdnnl.so.2"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                         "/opt/intel/oneapi/dnnl/latest/lib"};
// The wheels put it beside Python's folder, not into a package: <prefix>/lib/libdnnl.so.3.
constexpr std::string_view kWheelFolders[] = {"../..", "onednn/lib"};
constexpr int kOldestMajor = 2, kOldestMinor = 6, kNewestMajor = 3;

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<loading::Symbol> symbols(Functions& f) {
  return {{"dnnl_get_effective_cpu_isa", slot(f.effective_isa)},
          {"dnnl_set_primitive_cache_capacity", slot(f.set_cache_capacity)},
          {"dnnl_engine_create", slot(f.create_engine)},
          {"dnnl_stream_create", slot(f.create_stream)},
          {"dnnl_stream_wait", slot(f.wait)},
          {"dnnl_memory_create", slot(f.create_memory)},
          {"dnnl_memory_set_data_handle", slot(f.set_data)},
          {"dnnl_memory_destroy", slot(f.destroy_memory)},
          {"dnnl_memory_desc_get_size", slot(f.bytes_of)},
          {"dnnl_memory_desc_equal", slot(f.equal)},
          {"dnnl_primitive_desc_query", slot(f.query)},
          {"dnnl_primitive_desc_query_md", slot(f.query_memory)},
          {"dnnl_primitive_desc_destroy", slot(f.destroy_description)},
          {"dnnl_primitive_create", slot(f.create_primitive)},
          {"dnnl_primitive_execute", slot(f.execute)},
          {"dnnl_primitive_destroy", slot(f.destroy_primitive)},
          {"dnnl_primitive_attr_create", slot(f.create_attributes)},
          {"dnnl_primitive_attr_destroy", slot(f.destroy_attributes)},
          {"dnnl_primitive_attr_set_post_ops", slot(f.set_post_ops)},
          {"dnnl_primitive_attr_set_scratchpad_mode", slot(f.set_scratchpad)},
          {"dnnl_post_ops_create", slot(f.create_post_ops)},
          {"dnnl_post_ops_destroy", slot(f.destroy_post_ops)},
          {"dnnl_post_ops_append_binary", slot(f.append_binary)},
          {"dnnl_reorder_primitive_desc_create", slot(f.describe_reorder)}};
}

Result<const Version*> version_of(const loading::OpenedLibrary& library) {
  const Version* (*version)() = nullptr;
  const loading::Symbol symbol{"dnnl_version", slot(version)};
  FL_TRY_VOID(loading::resolve(library, {&symbol, 1}));
  const Version* const found = version();
  if (found == nullptr) return Error{ErrorCode::kUnavailable, library.path + " does not say its version"};
  return found;
}

// Fails with kUnavailable where threads cannot be counted: another runtime than OpenMP.
Result<host::OmpTeam> team_of(const loading::OpenedLibrary& library, unsigned cpu_runtime) {
  if (cpu_runtime == kRuntimeSequential) return host::OmpTeam::alone(host::usable_cpus().front());
  if (cpu_runtime == kRuntimeOpenMp) return host::OmpTeam::of(library, host::usable_cpus());
  return Error{ErrorCode::kUnavailable, library.path + " runs its threads by " +
                                            (cpu_runtime == kRuntimeTbb ? "TBB" : "runtime " + std::to_string(cpu_runtime)) +
                                            ", whose number cannot be set from outside; install one built for OpenMP"};
}

struct NamedStatus {
  Code status;
  const char* name;
  ErrorCode meaning;
};
constexpr NamedStatus kStatuses[] = {{kOutOfMemory, "out_of_memory", ErrorCode::kOutOfMemory},
                                     {kInvalidArguments, "invalid_arguments", ErrorCode::kUnsupported},
                                     {kUnimplemented, "unimplemented", ErrorCode::kUnsupported},
                                     {kRuntimeError, "runtime_error", ErrorCode::kLaunchFailed},
                                     {kNotRequired, "not_required", ErrorCode::kLaunchFailed}};

struct NamedIsa {
  int isa;
  const char* name;
};
// The two majors number what came after AVX-512 BF16 differently, and both numberings are kept apart by their values.
constexpr NamedIsa kIsas[] = {{0x1, "sse41"},
                              {0x3, "avx"},
                              {0x7, "avx2"},
                              {0xf, "avx2_vnni"},
                              {0x1f, "avx2_vnni_2"},
                              {0x407, "avx2_vnni"},
                              {0x27, "avx512_core"},
                              {0x67, "avx512_core_vnni"},
                              {0xe7, "avx512_core_bf16"},
                              {0x1ef, "avx512_core_fp16"},
                              {0x3e7, "avx512_core_amx"},
                              {0xfef, "avx512_core_amx"},
                              {0x1fef, "avx512_core_amx_fp16"}};

}  // namespace

Result<std::shared_ptr<OneDnnLibrary>> OneDnnLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"ONEDNN", kSonames, kFolders, kWheelFolders};
  FL_TRY(const loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  FL_TRY(const Version* const version, version_of(opened));
  std::shared_ptr<OneDnnLibrary> library(new OneDnnLibrary());
  library->path_ = opened.path;
  library->version_ = std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch);
  library->hash_ = version->hash == nullptr ? "" : version->hash;
  const bool too_old = version->major < kOldestMajor || (version->major == kOldestMajor && version->minor < kOldestMinor);
  if (too_old) return Error{ErrorCode::kUnavailable, opened.path + " is oneDNN " + library->version_ + ": 2.6 or newer is needed"};
  if (version->major > kNewestMajor) {
    return Error{ErrorCode::kUnavailable,
                 opened.path + " is oneDNN " + library->version_ + ": its C API is not known here, 2 and 3 are"};
  }
  FL_TRY_VOID(loading::resolve(opened, symbols(library->calls_)));
  FL_TRY(library->primitives_, version->major == 2 ? calls_of_major_2(opened) : calls_of_major_3(opened));
  FL_TRY(library->team_, team_of(opened, version->cpu_runtime));
  const auto& calls = library->calls_;
  FL_TRY_VOID(check(calls.create_engine(&library->engine_, kCpuEngine, 0), "opening the CPU (dnnl_engine_create)"));
  FL_TRY_VOID(
      check(calls.create_stream(&library->stream_, library->engine_, kStreamInOrder), "opening a stream (dnnl_stream_create)"));
  // A primitive that was made before would be handed out again: neither compiling nor a first launch would be what they are called.
  FL_TRY_VOID(check(calls.set_cache_capacity(0), "emptying its cache (dnnl_set_primitive_cache_capacity)"));
  if (version->major == 3) FL_TRY_VOID(library->find_post_op_base());
  return library;
}

// Finds the number from which operands of post-ops are counted. The version does not tell it, so the library is asked what it
// takes.
Status OneDnnLibrary::find_post_op_base() {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kBinary;
  spec.algorithm = Algorithm::kAdd;
  FL_TRY(const MemoryDescriptor tensor, primitives_->memory(row_major(DType::kF32, {1, 16}), false));
  PostOps post_ops = nullptr;
  Attributes attributes = nullptr;
  Description made = nullptr;
  FL_TRY_VOID(check(calls_.create_post_ops(&post_ops), "trying a post-op"));
  Code status = calls_.append_binary(post_ops, kBinaryAdd, tensor.get());
  if (status == kSuccess) status = calls_.create_attributes(&attributes);
  if (status == kSuccess) status = calls_.set_post_ops(attributes, post_ops);
  const DescribedOperands operands{tensor.get(), tensor.get(), nullptr, tensor.get()};
  if (status == kSuccess) status = primitives_->describe(&made, engine_, spec, operands, attributes);
  if (status == kSuccess) {
    const MemoryDesc there = calls_.query_memory(made, kQueryArgument, kPostOpBase | kSource1);
    post_op_base_ = there != nullptr && calls_.bytes_of(there) > 0 ? kPostOpBase : kPostOpBaseLater;
    calls_.destroy_description(made);
  }
  if (attributes != nullptr) calls_.destroy_attributes(attributes);
  calls_.destroy_post_ops(post_ops);
  return check(status, "trying a post-op");
}

std::string OneDnnLibrary::isa() const {
  const int isa = calls_.effective_isa();
  for (const NamedIsa& each : kIsas) {
    if (each.isa == isa) return each.name;
  }
  return "isa " + std::to_string(isa);
}

Status OneDnnLibrary::check(abi::Code status, const std::string& what) {
  if (status == kSuccess) return {};
  for (const NamedStatus& each : kStatuses) {
    if (each.status == status) return Error{each.meaning, what + ": dnnl_" + each.name};
  }
  return Error{ErrorCode::kLaunchFailed, what + ": oneDNN status " + std::to_string(status)};
}

}  // namespace fuselab::onednn
