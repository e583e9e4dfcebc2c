// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What is called of OpenVINO's C interface, declared after its public headers (openvino/c/*.h of 2024 to 2026).
namespace fuselab::openvino::abi {

using Code = int;
inline constexpr Code kOk = 0;

struct Core;
struct Model;
struct CompiledModel;
struct InferRequest;
struct Tensor;

struct Version {
  const char* build_number;  // "2026.4.1-21919-…"
  const char* description;
};
struct Shape {
  std::int64_t rank;
  std::int64_t* dims;
};

inline constexpr int kBool = 1, kF32 = 4, kI8 = 7, kI16 = 8, kI32 = 9, kI64 = 10, kU8 = 16;

struct Functions {
  Code (*get_version)(Version* version);  // ov_get_openvino_version
  const char* (*error_name)(Code code);   // ov_get_error_info
  const char* (*last_message)();          // ov_get_last_err_msg
  Code (*create_core)(Core** core);       // ov_core_create
  Code (*read_model)(const Core* core, const char* text, std::size_t bytes, const Tensor* weights,
                     Model** model);  // …_from_memory_buffer
  Code (*compile)(const Core* core, const Model* model, const char* device, std::size_t property_arguments,
                  CompiledModel** compiled,
                  ...);                                                                       // ov_core_compile_model
  Code (*get_property)(const Core* core, const char* device, const char* key, char** value);  // ov_core_get_property
  void (*free_text)(const char* text);                                                        // ov_free
  Code (*create_request)(const CompiledModel* compiled, InferRequest** request);      // ov_compiled_model_create_infer_request
  Code (*create_tensor)(int type, Shape shape, void* data, Tensor** tensor);          // ov_tensor_create_from_host_ptr
  Code (*set_tensor)(InferRequest* request, const char* name, const Tensor* tensor);  // ov_infer_request_set_tensor
  Code (*infer)(InferRequest* request);                                               // ov_infer_request_infer
  void (*free_tensor)(Tensor* tensor);
  void (*free_request)(InferRequest* request);
  void (*free_compiled)(CompiledModel* compiled);
  void (*free_model)(Model* model);
};

}  // namespace fuselab::openvino::abi
