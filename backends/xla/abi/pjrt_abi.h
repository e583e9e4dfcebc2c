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

constexpr int kMajor = 0;
constexpr int kOldestMinor = 57;  // nothing that is declared here has moved since

// Element types, as PJRT_Buffer_Type numbers them.
enum BufferType : int {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kBF16 = 13
};

constexpr int kImmutableOnlyDuringCall = 0;  // host memory is copied before the call returns

struct ApiVersion {
  std::size_t struct_size;
  void* extension;
  int major, minor;
};

struct ErrorArgs {  // PJRT_Error_Destroy
  std::size_t struct_size;
  void* extension;
  PjrtError* error;
};
struct ErrorMessageArgs {
  std::size_t struct_size;
  void* extension;
  const PjrtError* error;
  const char* message;  // out
  std::size_t message_size;
};
struct InitializeArgs {
  std::size_t struct_size;
  void* extension;
};
struct NamedValue {
  std::size_t struct_size;
  void* extension;
  const char* name;
  std::size_t name_size;
  int type;  // 0 string, 1 integer, 2 list of integers, 3 float, 4 bool
  union {
    const char* text;
    std::int64_t integer;
    const std::int64_t* integers;
    float real;
    bool truth;
  };
  std::size_t value_size;  // of a string or list
};
struct AttributesArgs {
  std::size_t struct_size;
  void* extension;
  const NamedValue* attributes;  // out
  std::size_t count;
};
struct EventArgs {  // PJRT_Event_Destroy, PJRT_Event_Await
  std::size_t struct_size;
  void* extension;
  Event* event;
};
struct ClientCreateArgs {
  std::size_t struct_size;
  void* extension;
  const NamedValue* options;
  std::size_t option_count;
  void* key_value_get;
  void* key_value_get_argument;
  void* key_value_put;
  void* key_value_put_argument;
  Client* client;  // out
  void* key_value_try_get;
  void* key_value_try_get_argument;
};
struct VersionArgs {
  std::size_t struct_size;
  void* extension;
  Client* client;
  const char* text;  // out
  std::size_t size;
};
struct DevicesArgs {
  std::size_t struct_size;
  void* extension;
  Client* client;
  Device* const* devices;  // out
  std::size_t count;
};
struct ProgramText {
  std::size_t struct_size;
  void* extension;
  char* code;
  std::size_t code_size;
  const char* format;
  std::size_t format_size;
};
struct CompileArgs {
  std::size_t struct_size;
  void* extension;
  Client* client;
  const ProgramText* program;
  const char* options;  // a serialised CompileOptionsProto, not empty
  std::size_t options_size;
  LoadedExecutable* executable;  // out
};
struct FromHostArgs {
  std::size_t struct_size;
  void* extension;
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
struct SerializeArgs {
  std::size_t struct_size;
  void* extension;
  const Executable* executable;
  const char* bytes;  // out, held by `holder`
  std::size_t size;
  SerializedExecutable* holder;
  void (*destroy_holder)(SerializedExecutable*);
};
struct ExecutableArgs {  // PJRT_Executable_Destroy
  std::size_t struct_size;
  void* extension;
  Executable* executable;
};
struct LoadedArgs {  // PJRT_LoadedExecutable_Destroy
  std::size_t struct_size;
  void* extension;
  LoadedExecutable* executable;
};
struct GetExecutableArgs {
  std::size_t struct_size;
  void* extension;
  LoadedExecutable* loaded;
  Executable* executable;  // out
};
struct ExecuteOptions {
  std::size_t struct_size;
  void* extension;
  void* send_callbacks;
  void* receive_callbacks;
  std::size_t send_count, receive_count;
  int launch_id;
  const std::int64_t* not_donated;
  std::size_t not_donated_count;
  void* context;
};
struct ExecuteArgs {
  std::size_t struct_size;
  void* extension;
  LoadedExecutable* executable;
  ExecuteOptions* options;
  PjrtBuffer* const* const* arguments;  // [device][argument]
  std::size_t devices;
  std::size_t argument_count;
  PjrtBuffer** const* outputs;  // [device][output], filled
  Event** complete;             // [device], filled unless null
  Device* device;
};
struct DeserializeArgs {
  std::size_t struct_size;
  void* extension;
  Client* client;
  const char* bytes;
  std::size_t size;
  LoadedExecutable* executable;  // out
};
struct BufferArgs {  // PJRT_Buffer_Destroy
  std::size_t struct_size;
  void* extension;
  PjrtBuffer* buffer;
};
struct ToHostArgs {
  std::size_t struct_size;
  void* extension;
  PjrtBuffer* buffer;
  void* layout;
  void* to;  // null: asks for the size
  std::size_t size;
  Event* event;  // out
};
struct ReadyArgs {
  std::size_t struct_size;
  void* extension;
  PjrtBuffer* buffer;
  Event* event;  // out
};

// The table. Functions that are not called stand as pointers, so that the others keep their places.
struct Api {
  std::size_t struct_size;
  void* extension;
  ApiVersion version;
  void (*destroy_error)(ErrorArgs*);  // 0
  void (*error_message)(ErrorMessageArgs*);
  void* error_code;
  PjrtError* (*initialize)(InitializeArgs*);
  PjrtError* (*attributes)(AttributesArgs*);
  PjrtError* (*destroy_event)(EventArgs*);  // 5
  void* event_is_ready;
  void* event_error;
  PjrtError* (*await)(EventArgs*);
  void* event_on_ready;
  PjrtError* (*create_client)(ClientCreateArgs*);  // 10
  void* destroy_client;
  void* platform_name;
  void* process_index;
  PjrtError* (*platform_version)(VersionArgs*);
  void* devices;
  PjrtError* (*addressable_devices)(DevicesArgs*);  // 16
  void* client_17_to_19[3];
  PjrtError* (*compile)(CompileArgs*);  // 20
  void* default_assignment;
  PjrtError* (*from_host)(FromHostArgs*);  // 22
  void* devices_23_to_39[17];
  PjrtError* (*destroy_executable)(ExecutableArgs*);  // 40
  void* executable_41_to_48[8];
  PjrtError* (*serialize)(SerializeArgs*);           // 49
  PjrtError* (*destroy_loaded)(LoadedArgs*);         // 50
  PjrtError* (*get_executable)(GetExecutableArgs*);  // 51
  void* loaded_52_to_54[3];
  PjrtError* (*execute)(ExecuteArgs*);          // 55
  PjrtError* (*deserialize)(DeserializeArgs*);  // 56
  void* fingerprint;
  PjrtError* (*destroy_buffer)(BufferArgs*);  // 58
  void* buffer_59_to_69[11];
  PjrtError* (*to_host)(ToHostArgs*);  // 70
  void* is_on_cpu;
  PjrtError* (*ready_event)(ReadyArgs*);  // 72
};
constexpr std::size_t kFirstSlot = sizeof(std::size_t) + sizeof(void*) + sizeof(ApiVersion);
static_assert(offsetof(Api, destroy_error) == kFirstSlot && kFirstSlot == 40);
static_assert(offsetof(Api, await) == kFirstSlot + 8 * sizeof(void*));
static_assert(offsetof(Api, create_client) == kFirstSlot + 10 * sizeof(void*));
static_assert(offsetof(Api, addressable_devices) == kFirstSlot + 16 * sizeof(void*));
static_assert(offsetof(Api, compile) == kFirstSlot + 20 * sizeof(void*));
static_assert(offsetof(Api, from_host) == kFirstSlot + 22 * sizeof(void*));
static_assert(offsetof(Api, destroy_executable) == kFirstSlot + 40 * sizeof(void*));
static_assert(offsetof(Api, serialize) == kFirstSlot + 49 * sizeof(void*));
static_assert(offsetof(Api, execute) == kFirstSlot + 55 * sizeof(void*));
static_assert(offsetof(Api, destroy_buffer) == kFirstSlot + 58 * sizeof(void*));
static_assert(offsetof(Api, to_host) == kFirstSlot + 70 * sizeof(void*));
static_assert(offsetof(Api, ready_event) == kFirstSlot + 72 * sizeof(void*));

}  // namespace fuselab::xla::abi
