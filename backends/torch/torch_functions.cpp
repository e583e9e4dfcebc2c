// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/torch_functions.h"

#include <algorithm>

#include "backends/library/capabilities.h"
#include "backends/loading/library_build.h"
#include "backends/loading/vendor_library.h"
#include "backends/torch/claims.h"
#include "backends/torch/lowering.h"

namespace fuselab::torch {
namespace {

constexpr std::size_t kLongestReason = 300;
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

Status TorchFunctions::take(loading::OpenedLibrary opened) {
  opened_ = std::move(opened);
  FL_TRY_VOID(resolve_all(opened_, calls_));
  for (const NamedType& each : kTypes) {
    std::int32_t (*number)() = nullptr;
    const loading::Symbol symbol{each.function, slot(number)};
    FL_TRY_VOID(loading::resolve(opened_, {&symbol, 1}));
    numbers_[each.dtype] = number();
  }
  version_ = calls_.version();
  return {};
}

library::LibraryFacts TorchFunctions::facts_of(std::string id) const {
  library::LibraryFacts facts;
  facts.id = std::move(id);
  facts.name = "PyTorch";
  facts.version = version_text(version_);
  facts.build = loading::build_of(opened_.path);
  facts.path = opened_.path;
  facts.is_tried = version_ >> 48 == kTriedVersion;
  return facts;
}

Status TorchFunctions::check(abi::Code code, const std::string& what) const {
  if (code == 0) return {};
  const char* const words = calls_.last_error == nullptr ? nullptr : calls_.last_error();
  const std::string reason = words == nullptr || *words == '\0' ? "PyTorch " + version_text(version_) + " gives no reason" : words;
  // Its codes are all alike: the words tell a trial that is too large from one that fails.
  const bool is_memory = reason.find("out of memory") != std::string::npos || reason.find("not enough memory") != std::string::npos;
  return Error{is_memory ? ErrorCode::kOutOfMemory : ErrorCode::kLaunchFailed, what + ": " + one_line(reason)};
}

Result<TorchPlan> TorchFunctions::plan_for(const Graph& graph) const {
  FL_TRY_VOID(claims().may_hold(graph));
  FL_TRY(TorchPlan plan, lower(graph));
  for (Call& each : plan.calls) {
    const Schema& schema = *each.schema;
    if (schema.symbol == nullptr) continue;
    each.function = opened_.symbol(schema.symbol);
    if (each.function != nullptr) continue;
    return Error{ErrorCode::kUnsupported, opened_.path + " has no function for " + schema.name + "." + schema.overload + " (" +
                                              schema.symbol + "): another PyTorch than was tried"};
  }
  return plan;
}

Result<library::PlanOutline> TorchFunctions::outline_for(const Graph& graph) const {
  FL_TRY(const TorchPlan plan, plan_for(graph));
  library::PlanOutline outline;
  outline.steps = plan.words;
  outline.drawbacks = drawbacks_in(graph);
  outline.parameters.push_back(
      {"calls", "operators of PyTorch that cover the piece, one call each", {static_cast<std::int64_t>(plan.calls.size())}});
  return outline;
}

BackendCapabilities torch_capabilities() {
  // Logic computes bool alone, and bits are those of whole numbers: neither type is claimed.
  std::vector<Op> operators = claims().operators();
  std::erase_if(operators, [](Op op) { return is_logic(op) || op == Op::kBitwiseAnd; });
  return library::capabilities_of({"Single", "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm",
                                   "LinearActivation", "Normalization", "Attention", "WholeModel"},
                                  {DType::kF32, DType::kF16, DType::kBF16}, std::move(operators));
}

std::string remarks_on(const TorchPlan& plan) {
  const auto copied = std::ranges::count_if(plan.calls, [](const Call& each) { return each.copied_to >= 0; });
  if (copied == 0) return {};
  return "PyTorch has no form of " + std::to_string(copied) + (copied == 1 ? " operator" : " operators") +
         " that writes into given memory: a copy of each result is in the figure";
}

}  // namespace fuselab::torch
