// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "backends/cuda/abi/cupti_abi.h"

#define FAKE_API extern "C" __attribute__((visibility("default")))

// Whether $FAKE_CUPTI is this word.
bool is_told(const char* trouble);
// Says what may be counted: first how many bytes that are, then the bytes.
template <typename Asked>
fuselab::cuda::abi::CuptiCode say_availability(Asked* asked) {
  asked->bytes = 4;
  if (asked->image != nullptr) std::memset(asked->image, 7, asked->bytes);
  return is_told("denied") ? 35 : fuselab::cuda::abi::kCuptiSuccess;
}
template <typename Asked>
fuselab::cuda::abi::CuptiCode clear_data(Asked* asked) {
  std::memset(asked->data, 0, asked->bytes);
  return fuselab::cuda::abi::kCuptiSuccess;
}
// Appends to what fake_cupti_said() returns.
fuselab::cuda::abi::CuptiCode note(const char* what);
