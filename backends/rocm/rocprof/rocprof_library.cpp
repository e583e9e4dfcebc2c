// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocprof/rocprof_library.h"

#include <algorithm>
#include <iterator>

namespace fuselab::hip {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"librocprofiler-sdk.so.1"};
constexpr std::string_view kFolders[] = {"/opt/rocm/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"};
constexpr std::string_view kWheelFolders[] = {"_rocm_sdk_core/lib"};

struct Meaning {
  RocprofCode code;
  const char* words;
};
// Source: fwd.h of rocprofiler-sdk 1.0, rocprofiler_status_t.
constexpr Meaning kMeanings[] = {
    {12, "another tool has the profiler of this device"},
    {15, "another tool has the profiler of this process"},
    {kRocprofLocked, "another tool configured the profiler before: unset ROCP_TOOL_LIBRARIES and LD_PRELOAD"},
    {18, "this version has another interface"},
    {22, "ROCm's runtime is not loaded"},
    {28, "the amdgpu driver is too old for it: update the driver"},
    {29, "the device has no room for more of it"},
    {35, "the device has none of these counters"},
    {kRocprofTooMany, "the device cannot count these together"},
    {39, "it does not know this architecture: update ROCm"},
    {40, "counters are for administrators: give the process CAP_PERFMON, and /dev/kfd and /dev/dri in a container"}};

template <typename F>
void** rocprof_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

}  // namespace

Result<RocprofLibrary> RocprofLibrary::open(const loading::Surroundings& surroundings) {
  const loading::VendorLibrary wanted{"ROCPROFILER", kSonames, kFolders, kWheelFolders};
  FL_TRY(const loading::OpenedLibrary opened, loading::open_vendor_library(wanted, surroundings));
  RocprofLibrary library;
  library.path_ = opened.path;
  RocprofFunctions& calls = library.calls_;
  // The preview of version 1 has the older name.
  const bool has_config = opened.symbol("rocprofiler_create_counter_config") != nullptr;
  const loading::Symbol needed[] = {
      {"rocprofiler_force_configure", rocprof_slot(calls.configure)},
      {"rocprofiler_create_context", rocprof_slot(calls.create_context)},
      {"rocprofiler_start_context", rocprof_slot(calls.start)},
      {"rocprofiler_stop_context", rocprof_slot(calls.stop)},
      {"rocprofiler_create_buffer", rocprof_slot(calls.create_buffer)},
      {"rocprofiler_flush_buffer", rocprof_slot(calls.flush)},
      {"rocprofiler_configure_buffer_tracing_service", rocprof_slot(calls.trace)},
      {"rocprofiler_configure_callback_tracing_service", rocprof_slot(calls.call_back)},
      {"rocprofiler_get_thread_id", rocprof_slot(calls.thread_id)},
      {"rocprofiler_push_external_correlation_id", rocprof_slot(calls.push)},
      {"rocprofiler_pop_external_correlation_id", rocprof_slot(calls.pop)},
      {"rocprofiler_get_timestamp", rocprof_slot(calls.time)},
      {"rocprofiler_query_available_agents", rocprof_slot(calls.agents)},
      {"rocprofiler_iterate_agent_supported_counters", rocprof_slot(calls.counters)},
      {"rocprofiler_query_counter_info", rocprof_slot(calls.counter_info)},
      {has_config ? "rocprofiler_create_counter_config" : "rocprofiler_create_profile_config", rocprof_slot(calls.create_config)},
      {"rocprofiler_configure_callback_dispatch_counting_service", rocprof_slot(calls.count)},
      {"rocprofiler_query_record_counter_id", rocprof_slot(calls.counter_of)}};
  FL_TRY_VOID(loading::resolve(opened, needed));
  return library;
}

Status check_rocprof(RocprofCode code, const std::string& what) {
  if (code == kRocprofSuccess) return {};
  const auto* const meaning = std::ranges::find(kMeanings, code, &Meaning::code);
  const std::string number = "code " + std::to_string(code);
  return Error{ErrorCode::kUnavailable, "rocprofiler-sdk, " + what + ": " +
                                            (meaning == std::end(kMeanings) ? number : meaning->words + (" (" + number + ")"))};
}

}  // namespace fuselab::hip
