// SPDX-License-Identifier: Apache-2.0
#include "backends/openvino/ov_library.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "backends/host/processor.h"
#include "backends/library/capabilities.h"
#include "backends/library/plan_text.h"
#include "backends/onnx/given_weights.h"
#include "backends/onnx/onnx_model.h"
#include "backends/openvino/ov_claims.h"
#include "backends/openvino/ov_plan.h"

namespace fuselab::openvino {
namespace {

// Each release has a name of its own: year, release and patch.
constexpr std::string_view kSonames[] = {"libopenvino_c.so.2641", "libopenvino_c.so"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/opt/intel/openvino/runtime/lib/intel64"};
constexpr std::string_view kWheelFolders[] = {"openvino/libs"};
constexpr int kOldest = 2026;  // the numbers of element types were others before
constexpr const char* kDevice = "CPU";
constexpr std::size_t kLongestReason = 300;

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

Status resolve_all(const loading::OpenedLibrary& library, abi::Functions& f) {
  const loading::Symbol symbols[] = {{"ov_get_openvino_version", slot(f.get_version)},
                                     {"ov_get_error_info", slot(f.error_name)},
                                     {"ov_get_last_err_msg", slot(f.last_message)},
                                     {"ov_core_create", slot(f.create_core)},
                                     {"ov_core_read_model_from_memory_buffer", slot(f.read_model)},
                                     {"ov_core_compile_model", slot(f.compile)},
                                     {"ov_core_get_property", slot(f.get_property)},
                                     {"ov_free", slot(f.free_text)},
                                     {"ov_compiled_model_create_infer_request", slot(f.create_request)},
                                     {"ov_tensor_create_from_host_ptr", slot(f.create_tensor)},
                                     {"ov_infer_request_set_tensor", slot(f.set_tensor)},
                                     {"ov_infer_request_infer", slot(f.infer)},
                                     {"ov_tensor_free", slot(f.free_tensor)},
                                     {"ov_infer_request_free", slot(f.free_request)},
                                     {"ov_compiled_model_free", slot(f.free_compiled)},
                                     {"ov_model_free", slot(f.free_model)}};
  return loading::resolve(library, symbols);
}

// Fails with kUnsupported where the library would take a graph and compute something else, or nothing.
Status may_hold(const Graph& graph) {
  FL_TRY_VOID(library::has_elements(graph));
  for (const Value& value : graph.values()) {
    if (!element_type(value.type.dtype)) {
      return Error{ErrorCode::kUnsupported,
                   "OpenVINO computes " + std::string(name_of(value.type.dtype)) + " as another type here"};
    }
  }
  FL_TRY_VOID(kClaims.may_hold(graph));
  return kFormClaims.may_hold(graph);
}

}  // namespace

Result<std::shared_ptr<OvLibrary>> OvLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"OPENVINO", kSonames, kFolders, kWheelFolders, "openvino"};
  FL_TRY(const loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  std::shared_ptr<OvLibrary> library(new OvLibrary());
  abi::Functions& calls = library->calls_;
  FL_TRY_VOID(resolve_all(opened, calls));
  abi::Version version{};
  if (calls.get_version(&version) != abi::kOk || version.build_number == nullptr) {
    return Error{ErrorCode::kUnavailable, opened.path + " does not say its version"};
  }
  // "2026.4.1-21919-abcdef": the version, then the build.
  const std::string whole = version.build_number;
  const std::size_t end = std::min(whole.find('-'), whole.size());
  const std::string name = whole.substr(0, end);
  if (std::atoi(name.c_str()) < kOldest) {
    return Error{ErrorCode::kUnavailable,
                 opened.path + " is OpenVINO " + name + ": " + std::to_string(kOldest) + " or newer is needed"};
  }
  if (const Status made = library->check(calls.create_core(&library->core_), opened.path); !made.ok()) {
    return Error{ErrorCode::kUnavailable, made.error().message};
  }
  // Asking for the processor's name opens the plugin for it.
  char* processor = nullptr;
  if (const Status asked = library->check(calls.get_property(library->core_, kDevice, "FULL_DEVICE_NAME", &processor),
                                          opened.path + ": the plugin for CPUs");
      !asked.ok()) {
    return Error{ErrorCode::kUnavailable, asked.error().message};
  }
  calls.free_text(processor);
  library->facts_ = {"openvino",
                     "OpenVINO",
                     name,
                     whole.substr(std::min(end + 1, whole.size())),
                     opened.path,
                     "cpu-f32",
                     "TBB, pinned by the plugin",
                     static_cast<int>(host::usable_cpus().size()),
                     "precision=f32,streams=1"};
  return library;
}

Status OvLibrary::check(abi::Code code, const std::string& what) const {
  if (code == abi::kOk) return {};
  const char* const message = calls_.last_message();
  std::string words = message != nullptr && *message != '\0' ? message : calls_.error_name(code);
  std::replace(words.begin(), words.end(), '\n', ' ');
  if (words.size() > kLongestReason) words = words.substr(0, kLongestReason) + " …";
  return Error{ErrorCode::kLaunchFailed, what + ": " + words};
}

Result<CompiledHandle> OvLibrary::compiled_model(const std::string& model, int threads) const {
  abi::Model* read = nullptr;
  if (const Status done = check(calls_.read_model(core_, model.data(), model.size(), nullptr, &read), "OpenVINO"); !done.ok()) {
    return Error{ErrorCode::kUnsupported, done.error().message};
  }
  const std::unique_ptr<abi::Model, void (*)(abi::Model*)> held(read, calls_.free_model);
  const std::string count = std::to_string(threads);
  abi::CompiledModel* compiled = nullptr;
  constexpr std::size_t kArguments = 8;
  const abi::Code code = calls_.compile(core_, read, kDevice, kArguments, &compiled, "INFERENCE_NUM_THREADS", count.c_str(),
                                        "NUM_STREAMS", "1", "INFERENCE_PRECISION_HINT", "f32", "ENABLE_CPU_PINNING", "YES");
  if (const Status done = check(code, "OpenVINO"); !done.ok()) return Error{ErrorCode::kUnsupported, done.error().message};
  return CompiledHandle(compiled, calls_.free_compiled);
}

Status OvLibrary::use_threads(int threads) {
  if (threads >= 1 && threads <= facts_.most_threads) return {};
  return Error{ErrorCode::kUnsupported,
               "the configuration wants " + std::to_string(threads) + " threads, there are " + std::to_string(facts_.most_threads)};
}

Result<library::PlanOutline> OvLibrary::outline(const Graph& graph) {
  FL_TRY_VOID(may_hold(graph));
  FL_TRY(const std::string model, onnx_model::write_onnx(graph));
  FL_TRY(const CompiledHandle asked, compiled_model(model, 1));
  library::PlanOutline outline;
  outline.steps = {"one compiled model of " + std::to_string(graph.nodes().size()) + " operators"};
  outline.drawbacks = kClaims.drawbacks_in(graph);
  if (!onnx_model::GivenWeights(graph).none()) {
    outline.parameters.push_back(
        {"weights",
         "packed: they are constants of the model, laid out ahead of what is timed; plain: given with each run",
         {"packed", "plain"}});
  }
  return outline;
}

Result<std::unique_ptr<library::HostPlan>> OvLibrary::build(const library::PlanText& plan) {
  FL_TRY(std::unique_ptr<OvPlan> built, OvPlan::build(shared_from_this(), plan.graph, plan.config));
  return std::unique_ptr<library::HostPlan>(std::move(built));
}

BackendCapabilities OvLibrary::capabilities() {
  BackendCapabilities capabilities =
      library::capabilities_of({"Single", "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm",
                                "LinearActivation", "Normalization", "Attention", "WholeModel"},
                               {DType::kF32}, kClaims.operators());
  capabilities.fusion.multiplies_8_bit = true;
  return capabilities;
}

}  // namespace fuselab::openvino
