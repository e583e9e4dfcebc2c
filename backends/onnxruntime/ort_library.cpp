// SPDX-License-Identifier: Apache-2.0
#include "backends/onnxruntime/ort_library.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "backends/host/processor.h"
#include "backends/library/capabilities.h"
#include "backends/library/plan_text.h"
#include "backends/loading/library_build.h"
#include "backends/onnx/given_weights.h"
#include "backends/onnx/onnx_model.h"
#include "backends/onnxruntime/ort_claims.h"
#include "backends/onnxruntime/ort_plan.h"

namespace fuselab::onnxruntime {
namespace {

constexpr std::string_view kSonames[] = {"libonnxruntime.so.1", "libonnxruntime.so.1.32.0", "libonnxruntime.so"};
constexpr std::string_view kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"};
constexpr std::string_view kWheelFolders[] = {"onnxruntime/capi"};
// Threads of a session that has nothing to do spin this long before they sleep; what is timed beside them would share its core.
constexpr std::chrono::milliseconds kSpinning{50};
constexpr std::size_t kLongestReason = 300;

template <typename F>
void take(const void* const* table, abi::Slot slot, F& function) {
  function = reinterpret_cast<F>(const_cast<void*>(table[static_cast<std::size_t>(slot)]));
}

abi::Functions functions_of(const void* const* table) {
  using enum abi::Slot;
  abi::Functions f{};
  take(table, kGetErrorCode, f.error_code);
  take(table, kGetErrorMessage, f.error_message);
  take(table, kCreateEnv, f.create_env);
  take(table, kDisableTelemetryEvents, f.disable_telemetry);
  take(table, kCreateSessionFromArray, f.create_session);
  take(table, kRun, f.run);
  take(table, kCreateSessionOptions, f.create_options);
  take(table, kSetSessionExecutionMode, f.set_execution_mode);
  take(table, kSetSessionLogSeverityLevel, f.set_log_level);
  take(table, kSetSessionGraphOptimizationLevel, f.set_optimization);
  take(table, kSetIntraOpNumThreads, f.set_intra_threads);
  take(table, kSetInterOpNumThreads, f.set_inter_threads);
  take(table, kSessionGetInputCount, f.input_count);
  take(table, kSessionGetOutputCount, f.output_count);
  take(table, kCreateTensorWithDataAsOrtValue, f.create_tensor);
  take(table, kCreateCpuMemoryInfo, f.create_cpu_memory);
  take(table, kReleaseStatus, f.release_status);
  take(table, kReleaseSession, f.release_session);
  take(table, kReleaseValue, f.release_value);
  take(table, kReleaseSessionOptions, f.release_options);
  take(table, kAddSessionConfigEntry, f.add_config);
  return f;
}

}  // namespace

Result<std::shared_ptr<OrtLibrary>> OrtLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"ONNXRUNTIME", kSonames, kFolders, kWheelFolders, "onnxruntime"};
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);  // read while it is opened: later, a file in $TMPDIR and a thread are there already
  FL_TRY(const loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  abi::GetApiBase get_base = nullptr;
  const loading::Symbol symbol{"OrtGetApiBase", reinterpret_cast<void**>(&get_base)};
  FL_TRY_VOID(loading::resolve(opened, {&symbol, 1}));
  const abi::ApiBase* const base = get_base();
  const std::string version = base->get_version();
  const void* const* const table = base->get_api(abi::kApiVersion);
  if (table == nullptr) {
    return Error{ErrorCode::kUnavailable, opened.path + " is ONNX Runtime " + version + ": 1.17 or newer is needed"};
  }
  std::shared_ptr<OrtLibrary> library(new OrtLibrary());
  library->calls_ = functions_of(table);
  library->cpus_ = host::usable_cpus();
  FL_TRY_VOID(library->check(library->calls_.create_env(abi::kLogFatal, "fuselab", &library->env_), "starting it"));
  FL_TRY_VOID(library->check(library->calls_.disable_telemetry(library->env_), "turning its telemetry off"));
  FL_TRY_VOID(library->check(library->calls_.create_cpu_memory(abi::kArenaAllocator, abi::kMemoryDefault, &library->memory_),
                             "naming the host's memory"));
  const int threads = static_cast<int>(library->cpus_.size());
  library->facts_ = {
      "onnxruntime", "ONNX Runtime", version, loading::build_of(opened.path), opened.path, "cpu", "a pool a session, pinned",
      threads,       "provider=CPU"};
  return library;
}

Status OrtLibrary::check(abi::Status* status, const std::string& what) const {
  if (status == nullptr) return {};
  std::string words = calls_.error_message(status);
  const int code = calls_.error_code(status);
  calls_.release_status(status);
  std::replace(words.begin(), words.end(), '\n', ' ');
  if (words.size() > kLongestReason) words = words.substr(0, kLongestReason) + " …";
  const ErrorCode meaning = code == abi::kNotImplemented ? ErrorCode::kUnsupported : ErrorCode::kLaunchFailed;
  return Error{meaning, what + ": " + words};
}

Result<SessionHandle> OrtLibrary::session(const std::string& model, const SessionChoices& choices) const {
  abi::SessionOptions* made = nullptr;
  FL_TRY_VOID(check(calls_.create_options(&made), "options of a session"));
  const std::unique_ptr<abi::SessionOptions, void (*)(abi::SessionOptions*)> options(made, calls_.release_options);
  FL_TRY_VOID(check(calls_.set_log_level(made, abi::kLogFatal), "options of a session"));
  FL_TRY_VOID(check(calls_.set_execution_mode(made, abi::kSequential), "options of a session"));
  FL_TRY_VOID(
      check(calls_.set_optimization(made, choices.optimizes_all ? abi::kOptimizeAll : abi::kOptimizeBasic), "optimization"));
  FL_TRY_VOID(check(calls_.set_intra_threads(made, choices.threads), "threads"));
  FL_TRY_VOID(check(calls_.set_inter_threads(made, 1), "threads"));
  if (choices.threads > 1) {
    // The first is the caller's, who is pinned by whoever times; processors count from 1.
    std::string cpus;
    for (int i = 1; i < choices.threads; ++i) {
      cpus += (i > 1 ? ";" : "") + std::to_string(cpus_[static_cast<std::size_t>(i)] + 1);
    }
    FL_TRY_VOID(check(calls_.add_config(made, "session.intra_op_thread_affinities", cpus.c_str()), "places of threads"));
    // Each step of an unfused plan has a session with threads of its own on the same processors: those of the step before must not
    // spin beside it.
    FL_TRY_VOID(check(calls_.add_config(made, "session.force_spinning_stop", "1"), "spinning of threads"));
  }
  abi::Session* session = nullptr;
  if (const Status created = check(calls_.create_session(env_, model.data(), model.size(), made, &session), "ONNX Runtime");
      !created.ok()) {
    return Error{ErrorCode::kUnsupported, created.error().message};
  }
  return SessionHandle(session, calls_.release_session);
}

Status OrtLibrary::use_threads(int threads) {
  if (threads >= 1 && threads <= facts_.most_threads) return {};
  return Error{ErrorCode::kUnsupported,
               "the configuration wants " + std::to_string(threads) + " threads, there are " + std::to_string(facts_.most_threads)};
}

void OrtLibrary::settle(int) {
  if (are_spinning_) std::this_thread::sleep_for(kSpinning);
  are_spinning_ = false;
}

Result<library::PlanOutline> OrtLibrary::outline(const Graph& graph) {
  FL_TRY_VOID(kClaims.may_hold(graph));
  FL_TRY(const std::string model, onnx_model::write_onnx(graph));
  FL_TRY(const SessionHandle asked, session(model, {}));
  library::PlanOutline outline;
  outline.steps = {"one session of " + std::to_string(graph.nodes().size()) + " operators"};
  outline.drawbacks = kClaims.drawbacks_in(graph);
  outline.parameters.push_back(
      {"optimization", "of the graph: all that it knows for this CPU, or what is right for every one", {"all", "basic"}});
  if (!onnx_model::GivenWeights(graph).none()) {
    outline.parameters.push_back(
        {"weights",
         "packed: they are constants of the model, laid out ahead of what is timed; plain: given with each run",
         {"packed", "plain"}});
  }
  return outline;
}

Result<std::unique_ptr<library::HostPlan>> OrtLibrary::build(const library::PlanText& plan) {
  FL_TRY(std::unique_ptr<OrtPlan> built, OrtPlan::build(shared_from_this(), plan.graph, plan.config));
  return std::unique_ptr<library::HostPlan>(std::move(built));
}

BackendCapabilities OrtLibrary::capabilities() {
  BackendCapabilities capabilities =
      library::capabilities_of({"Single", "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm",
                                "LinearActivation", "Normalization", "Attention", "WholeModel"},
                               {DType::kF32}, kClaims.operators());
  capabilities.fusion.multiplies_8_bit = true;
  return capabilities;
}

}  // namespace fuselab::onnxruntime
