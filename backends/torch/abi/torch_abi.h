// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What is called of libtorch_cpu.so, whatever device computes: the C functions that PyTorch keeps stable for programs compiled
// apart from it, and a few of its C++ functions whose arguments are references alone. No header of PyTorch is used.
namespace fuselab::torch::abi {

struct TensorObject;
using Handle = TensorObject*;  // owned by whoever got it, until it is deleted or given to a call
using Word = std::uint64_t;    // one argument or result of an operator: a number, or the address of what it owns
using Code = std::int32_t;     // 0: success

// Kinds of devices.
inline constexpr std::int32_t kCpu = 0;
inline constexpr std::int32_t kCuda = 1;

// c10::Scalar as it holds a real or a whole number.
struct Scalar {
  std::int32_t tag = 0;  // 0: a real number (HAS_d), 1: a whole one (HAS_i)
  alignas(16) Word value = 0;
  Word unused = 0;
};
static_assert(sizeof(Scalar) == 32 && alignof(Scalar) == 16);

struct Functions {
  std::uint64_t (*version)();
  Code (*new_handle)(Handle of, Handle* made);
  Code (*delete_handle)(Handle tensor);
  Code (*wrap)(void* data, std::int64_t rank, const std::int64_t* extents, const std::int64_t* strides, std::int64_t offset,
               std::int32_t dtype, std::int32_t device, std::int32_t index, Handle* made);
  Code (*data_of)(Handle tensor, void** data);
  Code (*rank_of)(Handle tensor, std::int64_t* rank);
  Code (*extents_of)(Handle tensor, std::int64_t** borrowed);
  Code (*call)(const char* name, const char* overload, Word* stack, std::uint64_t version);
  Code (*new_list)(std::size_t size, void** made);
  Code (*push)(void* list, Word element);
  Code (*new_text)(const char* text, std::size_t size, void** made);
  void (*set_gradients)(bool on);  // of the calling thread
  void (*set_threads)(int threads);
  Code (*new_box)(Word** made);  // null before 2.13: a box is `new Word` there
  const char* (*last_error)();   // of the calling thread; null before 2.13
};

// What libtorch_cuda.so has besides: the stream that its kernels go to, from `enter` until `leave` of its guard.
struct StreamFunctions {
  Code (*enter)(void* stream, std::int32_t device, void** guard);
  Code (*leave)(void* guard);
};

}  // namespace fuselab::torch::abi
