// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The parts of the PJRT C API (version 0, minor 57 and later) that Fuselab calls. One table of functions, one struct of arguments
// for each; new members are appended, and `struct_size` says how many a caller knows. Null stands for every default.
namespace fuselab::xla::abi {

struct PjrtError;
struct Client;
struct Device;
struct Memory;
struct Event;
struct PjrtBuffer;
struct Executable;
struct LoadedExecutable;
struct SerializedExecutable;
struct Topology;

constexpr int kMajor = 0;
constexpr int kOldestMinor = 57;  // nothing that is declared here has moved since

// Those element types that XLA is asked for, as PJRT_Buffer_Type numbers them.
enum BufferType : int { kPred = 1, kS32 = 4, kS64 = 5, kF32 = 11 };

// What becomes of host memory of which a buffer is made: the buffer is that memory, as long as it lives. Programs may write to it
// in the second case.
constexpr int kImmutableZeroCopy = 2;
constexpr int kMutableZeroCopy = 3;

struct ApiVersion {
  std::size_t struct_size;
  void* extension;
  int major, minor;
};

// What every struct of arguments begins with.
struct Head {
  std::size_t struct_size;
  void* extension;
};
// The arguments of functions that take one object and return nothing: PJRT_Error_Destroy, PJRT_Event_Await.
template <typename T>
struct ObjectArgs : Head {
  T* object;
};
struct ErrorMessageArgs : Head {
  const PjrtError* error;
  const char* message;  // out
  std::size_t message_size;
};
struct ClientCreateArgs : Head {
  const void* options;
  std::size_t option_count;
  void* key_value_get;
  void* key_value_get_argument;
  void* key_value_put;
  void* key_value_put_argument;
  Client* client;  // out
  void* key_value_try_get;
  void* key_value_try_get_argument;
};
struct DevicesArgs : Head {
  Client* client;
  Device* const* devices;  // out
  std::size_t count;
};
struct ProgramText : Head {
  char* code;
  std::size_t code_size;
  const char* format;
  std::size_t format_size;
};
struct CompileArgs : Head {
  Client* client;
  const ProgramText* program;
  const char* options;  // a serialised CompileOptionsProto, not empty
  std::size_t options_size;
  LoadedExecutable* executable;  // out
};
struct FromHostArgs : Head {
  Client* client;
  const void* data;
  int type;
  const std::int64_t* extents;
  std::size_t rank;
  const std::int64_t* byte_strides;
  std::size_t byte_stride_count;
  int semantics;
  Device* device;
  Memory* memory;
  void* layout;
  Event* done_with_host;  // out
  PjrtBuffer* buffer;     // out
};
struct SerializeArgs : Head {
  const Executable* executable;
  const char* bytes;  // out, held by `holder`
  std::size_t size;
  SerializedExecutable* holder;
  void (*destroy_holder)(SerializedExecutable*);
};
struct GetExecutableArgs : Head {
  LoadedExecutable* loaded;
  Executable* executable;  // out
};
struct OutputCountArgs : Head {  // PJRT_Executable_NumOutputs
  Executable* executable;
  std::size_t count;  // out
};
struct ExecuteOptions : Head {
  void* send_callbacks;
  void* receive_callbacks;
  std::size_t send_count, receive_count;
  int launch_id;
  const std::int64_t* not_donated;
  std::size_t not_donated_count;
  void* context;
  const char* call_location;
  std::size_t task_count;
  int* tasks;
  std::int64_t* incarnations;
  void* later[4];  // members that newer versions appended: plugins refuse a struct that is shorter than theirs
};
struct ExecuteArgs : Head {
  LoadedExecutable* executable;
  ExecuteOptions* options;
  PjrtBuffer* const* const* arguments;  // [device][argument]
  std::size_t devices;
  std::size_t argument_count;
  PjrtBuffer** const* outputs;  // [device][output], filled
  Event** complete;             // [device], filled unless null
  Device* device;
};
struct DeserializeArgs : Head {
  Client* client;
  const char* bytes;
  std::size_t size;
  LoadedExecutable* executable;  // out
  const char* other_options;     // instead of those that it was compiled with
  std::size_t other_options_size;
};
struct AddressArgs : Head {  // PJRT_Buffer_OpaqueDeviceMemoryDataPointer
  PjrtBuffer* buffer;
  void* address;  // out
};

// What a value with a name holds, as PJRT_NamedValue_Type numbers it; other kinds are not read.
enum NamedValueType : int { kText = 0, kReal = 3 };
struct NamedValue : Head {
  const char* name;
  std::size_t name_size;
  int type;
  union {
    const char* text;
    std::int64_t integer;
    float real;
  };
  std::size_t size;  // of a text; 1 for a number
};
struct TopologyArgs : Head {  // PJRT_TopologyDescription_Create
  const char* name;
  std::size_t name_size;
  const NamedValue* options;
  std::size_t option_count;
  Topology* topology;  // out
};
struct CompileAheadArgs : Head {  // PJRT_Compile: for a topology, without a client
  const Topology* topology;
  const ProgramText* program;
  const char* options;  // as of CompileArgs
  std::size_t options_size;
  Client* client;          // null
  Executable* executable;  // out
  void* later[4];
};
struct CostAnalysisArgs : Head {
  Executable* executable;
  std::size_t count;         // out
  const NamedValue* values;  // out, held by the executable
};
struct OptimizedProgramArgs : Head {
  Executable* executable;
  ProgramText* program;  // first its size is told; then the code is written, to memory of the caller
};
struct MemoryStatsArgs : Head {  // bytes
  Executable* executable;
  std::int64_t code, arguments, outputs, aliased, temporaries;  // out; aliased: outputs that are arguments' memory
  std::int64_t on_host[5];                                      // out: the same of the host's memory
  std::int64_t later[6];
};

// The table. Functions that are not called stand as pointers, so that the others keep their places.
struct Api {
  std::size_t struct_size;
  void* extension;
  ApiVersion version;
  void (*destroy_error)(ObjectArgs<PjrtError>*);  // 0
  void (*error_message)(ErrorMessageArgs*);
  void* error_code;
  PjrtError* (*initialize)(Head*);
  void* attributes;
  PjrtError* (*destroy_event)(ObjectArgs<Event>*);  // 5
  void* event_is_ready;
  void* event_error;
  PjrtError* (*await)(ObjectArgs<Event>*);
  void* event_on_ready;
  PjrtError* (*create_client)(ClientCreateArgs*);  // 10
  void* client_11_to_15[5];
  PjrtError* (*addressable_devices)(DevicesArgs*);  // 16
  void* client_17_to_19[3];
  PjrtError* (*compile)(CompileArgs*);  // 20
  void* default_assignment;
  PjrtError* (*from_host)(FromHostArgs*);  // 22
  void* devices_23_to_39[17];
  PjrtError* (*destroy_executable)(ObjectArgs<Executable>*);  // 40
  void* executable_41_to_43[3];
  PjrtError* (*output_count)(OutputCountArgs*);  // 44
  void* code_size;
  PjrtError* (*cost_analysis)(CostAnalysisArgs*);  // 46
  void* output_kinds;
  PjrtError* (*optimized_program)(OptimizedProgramArgs*);       // 48
  PjrtError* (*serialize)(SerializeArgs*);                      // 49
  PjrtError* (*destroy_loaded)(ObjectArgs<LoadedExecutable>*);  // 50
  PjrtError* (*get_executable)(GetExecutableArgs*);             // 51
  void* loaded_52_to_54[3];
  PjrtError* (*execute)(ExecuteArgs*);          // 55
  PjrtError* (*deserialize)(DeserializeArgs*);  // 56
  void* fingerprint;
  PjrtError* (*destroy_buffer)(ObjectArgs<PjrtBuffer>*);  // 58
  void* buffer_59_to_75[17];
  PjrtError* (*address)(AddressArgs*);  // 76
  void* copies_77_to_81[5];
  PjrtError* (*create_topology)(TopologyArgs*);  // 82
  PjrtError* (*destroy_topology)(ObjectArgs<Topology>*);
  void* topology_84_to_88[5];
  PjrtError* (*compile_ahead)(CompileAheadArgs*);  // 89
  void* executable_90_to_95[6];
  PjrtError* (*memory_stats)(MemoryStatsArgs*);  // 96
};
constexpr std::size_t kFirstSlot = sizeof(std::size_t) + sizeof(void*) + sizeof(ApiVersion);
static_assert(offsetof(Api, destroy_error) == kFirstSlot && kFirstSlot == 40);
static_assert(offsetof(Api, await) == kFirstSlot + 8 * sizeof(void*));
static_assert(offsetof(Api, create_client) == kFirstSlot + 10 * sizeof(void*));
static_assert(offsetof(Api, addressable_devices) == kFirstSlot + 16 * sizeof(void*));
static_assert(offsetof(Api, compile) == kFirstSlot + 20 * sizeof(void*));
static_assert(offsetof(Api, from_host) == kFirstSlot + 22 * sizeof(void*));
static_assert(offsetof(Api, destroy_executable) == kFirstSlot + 40 * sizeof(void*));
static_assert(offsetof(Api, output_count) == kFirstSlot + 44 * sizeof(void*));
static_assert(offsetof(Api, cost_analysis) == kFirstSlot + 46 * sizeof(void*));
static_assert(offsetof(Api, optimized_program) == kFirstSlot + 48 * sizeof(void*));
static_assert(offsetof(Api, serialize) == kFirstSlot + 49 * sizeof(void*));
static_assert(offsetof(Api, execute) == kFirstSlot + 55 * sizeof(void*));
static_assert(offsetof(Api, destroy_buffer) == kFirstSlot + 58 * sizeof(void*));
static_assert(offsetof(Api, address) == kFirstSlot + 76 * sizeof(void*));
static_assert(offsetof(Api, create_topology) == kFirstSlot + 82 * sizeof(void*));
static_assert(offsetof(Api, compile_ahead) == kFirstSlot + 89 * sizeof(void*));
static_assert(offsetof(Api, memory_stats) == kFirstSlot + 96 * sizeof(void*));

}  // namespace fuselab::xla::abi
