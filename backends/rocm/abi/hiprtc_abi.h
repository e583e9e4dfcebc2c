// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The part of hiprtc's and comgr's interfaces that Fuselab uses; see hip_abi.h.
namespace fuselab::hip::abi {

using HiprtcCode = int;  // hiprtcResult
inline constexpr HiprtcCode kHiprtcSuccess = 0;
inline constexpr HiprtcCode kHiprtcOutOfMemory = 1;
inline constexpr HiprtcCode kHiprtcInvalidOption = 5;
inline constexpr HiprtcCode kHiprtcCompilation = 6;

using Program = struct ProgramTag*;

struct HiprtcFunctions {
  const char* (*error_text)(HiprtcCode code);
  HiprtcCode (*create)(Program* program, const char* source, const char* name, int headers, const char** texts, const char** names);
  HiprtcCode (*destroy)(Program* program);
  HiprtcCode (*compile)(Program program, int count, const char** options);
  HiprtcCode (*log_size)(Program program, std::size_t* size);
  HiprtcCode (*log)(Program program, char* log);
  HiprtcCode (*code_size)(Program program, std::size_t* size);
  HiprtcCode (*code)(Program program, char* code);
};

// amd_comgr_status_t is an int, too.
struct ComgrFunctions {
  int (*isa_count)(std::size_t* count);
  int (*isa_name)(std::size_t index, const char** name);  // "amdgcn-amd-amdhsa--gfx90a"
};

}  // namespace fuselab::hip::abi
