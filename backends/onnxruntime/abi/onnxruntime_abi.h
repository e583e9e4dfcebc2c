// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What is called of ONNX Runtime's C interface. Its functions stand in one table, to whose end later versions add; their places are
// those of the public header onnxruntime_c_api.h, which has not moved one since 1.0.
namespace fuselab::onnxruntime::abi {

struct Status;
struct Env;
struct Session;
struct SessionOptions;
struct RunOptions;
struct Value;
struct MemoryInfo;

inline constexpr std::uint32_t kApiVersion = 17;  // the least that has all of this

inline constexpr int kLogFatal = 4;
inline constexpr int kOptimizeBasic = 1, kOptimizeAll = 99;
inline constexpr int kSequential = 0;
inline constexpr int kArenaAllocator = 1, kMemoryDefault = 0;
inline constexpr int kNotImplemented = 9;

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t version);
  const char* (*get_version)();
};
using GetApiBase = const ApiBase* (*)();

// Places in the table.
enum class Slot : std::size_t {
  kGetErrorCode = 1,
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kDisableTelemetryEvents = 6,
  kCreateSessionFromArray = 8,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetSessionExecutionMode = 13,
  kSetSessionLogSeverityLevel = 22,
  kSetSessionGraphOptimizationLevel = 23,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kSessionGetInputCount = 30,
  kSessionGetOutputCount = 31,
  kCreateTensorWithDataAsOrtValue = 49,
  kCreateCpuMemoryInfo = 69,
  kReleaseStatus = 93,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseSessionOptions = 100,
  kAddSessionConfigEntry = 130,
};

struct Functions {
  int (*error_code)(const Status* status);
  const char* (*error_message)(const Status* status);
  Status* (*create_env)(int log_level, const char* name, Env** out);
  Status* (*disable_telemetry)(const Env* env);
  Status* (*create_session)(const Env* env, const void* model, std::size_t bytes, const SessionOptions* options, Session** out);
  Status* (*run)(Session* session, const RunOptions* options, const char* const* input_names, const Value* const* inputs,
                 std::size_t input_count, const char* const* output_names, std::size_t output_count, Value** outputs);
  Status* (*create_options)(SessionOptions** out);
  Status* (*set_execution_mode)(SessionOptions* options, int mode);
  Status* (*set_log_level)(SessionOptions* options, int level);
  Status* (*set_optimization)(SessionOptions* options, int level);
  Status* (*set_intra_threads)(SessionOptions* options, int threads);
  Status* (*set_inter_threads)(SessionOptions* options, int threads);
  Status* (*input_count)(const Session* session, std::size_t* out);
  Status* (*output_count)(const Session* session, std::size_t* out);
  Status* (*create_tensor)(const MemoryInfo* memory, void* data, std::size_t bytes, const std::int64_t* dims, std::size_t rank,
                           int type, Value** out);
  Status* (*create_cpu_memory)(int allocator, int type, MemoryInfo** out);
  void (*release_status)(Status* status);
  void (*release_session)(Session* session);
  void (*release_value)(Value* value);
  void (*release_options)(SessionOptions* options);
  Status* (*add_config)(SessionOptions* options, const char* key, const char* value);
};

}  // namespace fuselab::onnxruntime::abi
