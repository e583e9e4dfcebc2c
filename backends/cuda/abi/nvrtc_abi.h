// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The part of NVRTC's interface that Fuselab uses; see driver_abi.h.
namespace fuselab::cuda::abi {

using NvrtcCode = int;  // nvrtcResult
inline constexpr NvrtcCode kNvrtcSuccess = 0;
inline constexpr NvrtcCode kNvrtcOutOfMemory = 1;
inline constexpr NvrtcCode kNvrtcInvalidOption = 5;
inline constexpr NvrtcCode kNvrtcCompilation = 6;
inline constexpr NvrtcCode kNvrtcBuiltinFailure = 7;

using Program = struct ProgramTag*;

struct NvrtcFunctions {
  NvrtcCode (*version)(int* major, int* minor);
  const char* (*error_text)(NvrtcCode code);
  NvrtcCode (*count_archs)(int* count);
  NvrtcCode (*archs)(int* archs);
  NvrtcCode (*create)(Program* program, const char* source, const char* name, int headers, const char* const* texts,
                      const char* const* names);
  NvrtcCode (*destroy)(Program* program);
  NvrtcCode (*compile)(Program program, int count, const char* const* options);
  NvrtcCode (*log_size)(Program program, std::size_t* size);
  NvrtcCode (*log)(Program program, char* log);
  NvrtcCode (*cubin_size)(Program program, std::size_t* size);
  NvrtcCode (*cubin)(Program program, char* cubin);
  NvrtcCode (*ptx_size)(Program program, std::size_t* size);
  NvrtcCode (*ptx)(Program program, char* ptx);
};

}  // namespace fuselab::cuda::abi
