// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/torch_library.h"

#include <malloc.h>

#include <algorithm>
#include <string_view>

#include "backends/host/processor.h"
#include "backends/library/capabilities.h"
#include "backends/library/plan_text.h"
#include "backends/loading/library_build.h"
#include "backends/torch/claims.h"
#include "backends/torch/lowering.h"
#include "backends/torch/torch_built_plan.h"

namespace fuselab::torch {
namespace {

constexpr std::string_view kSonames[] = {"libtorch_cpu.so"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/opt/libtorch/lib"};
constexpr std::string_view kWheelFolders[] = {"torch/lib"};
constexpr std::size_t kLongestReason = 300;
// Memory for results is kept by the process: given back, it would be fetched anew in every call.
constexpr int kKeptMemory = 1 << 30;
constexpr std::uint64_t kTriedVersion = 2 << 8 | 15;  // 2.15: what it loses and gets wrong was looked for

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

Status resolve_all(const loading::OpenedLibrary& library, abi::Functions& f) {
  const loading::Symbol symbols[] = {{"aoti_torch_abi_version", slot(f.version)},
                                     {"aoti_torch_new_tensor_handle", slot(f.new_handle)},
                                     {"aoti_torch_delete_tensor_object", slot(f.delete_handle)},
                                     {"aoti_torch_create_tensor_from_blob", slot(f.wrap)},
                                     {"aoti_torch_get_data_ptr", slot(f.data_of)},
                                     {"aoti_torch_get_dim", slot(f.rank_of)},
                                     {"aoti_torch_get_sizes", slot(f.extents_of)},
                                     {"torch_call_dispatcher", slot(f.call)},
                                     {"torch_new_list_reserve_size", slot(f.new_list)},
                                     {"torch_list_push_back", slot(f.push)},
                                     {"torch_new_string_handle", slot(f.new_text)},
                                     {"aoti_torch_grad_mode_set_enabled", slot(f.set_gradients)},
                                     {"_ZN2at15set_num_threadsEi", slot(f.set_threads)}};
  FL_TRY_VOID(loading::resolve(library, symbols));
  *slot(f.new_box) = library.symbol("torch_new_stable_ivalue");
  *slot(f.last_error) = library.symbol("torch_exception_get_what_without_backtrace");
  return {};
}

struct NamedType {
  DType dtype;
  const char* function;
};
constexpr NamedType kTypes[] = {{DType::kF32, "aoti_torch_dtype_float32"}, {DType::kBF16, "aoti_torch_dtype_bfloat16"},
                                {DType::kF16, "aoti_torch_dtype_float16"}, {DType::kI64, "aoti_torch_dtype_int64"},
                                {DType::kI32, "aoti_torch_dtype_int32"},   {DType::kI8, "aoti_torch_dtype_int8"},
                                {DType::kU8, "aoti_torch_dtype_uint8"},    {DType::kBool, "aoti_torch_dtype_bool"}};

std::string version_text(std::uint64_t version) {
  return std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff) + "." + std::to_string(version >> 40 & 0xff);
}

}  // namespace

std::string one_line(std::string words) {
  // Behind it stands where in PyTorch it was thrown, and by whom that was called.
  words = words.substr(0, words.find("\nException raised from"));
  std::ranges::replace(words, '\n', ' ');
  if (words.size() > kLongestReason) words = words.substr(0, kLongestReason) + " …";
  return words;
}

Result<std::shared_ptr<TorchLibrary>> TorchLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"TORCH", kSonames, kFolders, kWheelFolders, "torch"};
  std::shared_ptr<TorchLibrary> library(new TorchLibrary());
  FL_TRY(library->opened_, loading::open_vendor_library(wanted, surroundings));
  const loading::OpenedLibrary& opened = library->opened_;
  FL_TRY_VOID(resolve_all(opened, library->calls_));
  for (const NamedType& each : kTypes) {
    std::int32_t (*number)() = nullptr;
    const loading::Symbol symbol{each.function, slot(number)};
    FL_TRY_VOID(loading::resolve(opened, {&symbol, 1}));
    library->numbers_[each.dtype] = number();
  }
  FL_TRY(library->team_, host::OmpTeam::of(opened, host::usable_cpus()));
  ::mallopt(M_MMAP_THRESHOLD, kKeptMemory);
  ::mallopt(M_TRIM_THRESHOLD, kKeptMemory);
  library->version_ = library->calls_.version();
  const host::OmpTeam& team = library->team_;
  library->facts_ = {"torch",
                     "PyTorch",
                     version_text(library->version_),
                     loading::build_of(opened.path),
                     opened.path,
                     "eager",
                     team.name(),
                     team.most(),
                     "grad=off",
                     library->version_ >> 48 == kTriedVersion};
  return library;
}

Status TorchLibrary::check(abi::Code code, const std::string& what) const {
  if (code == 0) return {};
  const char* const words = calls_.last_error == nullptr ? nullptr : calls_.last_error();
  const std::string reason = words == nullptr || *words == '\0' ? "PyTorch " + facts_.version + " gives no reason" : words;
  return Error{ErrorCode::kLaunchFailed, what + ": " + one_line(reason)};
}

Result<void*> TorchLibrary::function(const Schema& schema) const {
  void* const found = opened_.symbol(schema.symbol);
  if (found != nullptr) return found;
  return Error{ErrorCode::kUnsupported, opened_.path + " has no function for " + schema.name + "." + schema.overload + " (" +
                                            schema.symbol + "): another PyTorch than was tried"};
}

Status TorchLibrary::use_threads(int threads) {
  FL_TRY_VOID(team_.use(threads));
  if (threads != threads_) calls_.set_threads(threads);
  threads_ = threads;
  calls_.set_gradients(false);
  return {};
}

std::optional<int> TorchLibrary::caller_cpu() const {
  return team_.pins() ? std::optional(team_.cpus().front()) : std::nullopt;
}

Result<TorchPlan> TorchLibrary::plan_for(const Graph& graph) const {
  FL_TRY_VOID(claims().may_hold(graph));
  FL_TRY(TorchPlan plan, lower(graph));
  for (const Call& each : plan.calls) {
    if (each.schema->symbol != nullptr) FL_TRY_VOID(function(*each.schema));
  }
  return plan;
}

Result<library::PlanOutline> TorchLibrary::outline(const Graph& graph) {
  FL_TRY(const TorchPlan plan, plan_for(graph));
  library::PlanOutline outline;
  outline.steps = plan.words;
  outline.drawbacks = drawbacks_in(graph);
  outline.parameters.push_back(
      {"calls", "operators of PyTorch that cover the piece, one call each", {static_cast<std::int64_t>(plan.calls.size())}});
  return outline;
}

Result<std::unique_ptr<library::HostPlan>> TorchLibrary::build(const library::PlanText& asked) {
  FL_TRY(TorchPlan plan, plan_for(asked.graph));
  return TorchBuiltPlan::build(shared_from_this(), std::move(plan));
}

BackendCapabilities TorchLibrary::capabilities() {
  // Logic computes bool alone, and bits are those of whole numbers: neither type is claimed.
  std::vector<Op> operators = claims().operators();
  std::erase_if(operators, [](Op op) { return is_logic(op) || op == Op::kBitwiseAnd; });
  return library::capabilities_of({"Single", "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm",
                                   "LinearActivation", "Normalization", "Attention", "WholeModel"},
                                  {DType::kF32, DType::kF16, DType::kBF16}, std::move(operators));
}

}  // namespace fuselab::torch
