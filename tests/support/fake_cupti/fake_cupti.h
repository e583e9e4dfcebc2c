// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/abi/cupti_abi.h"

#define FAKE_API extern "C" __attribute__((visibility("default")))

// Whether $FAKE_CUPTI is this word.
bool is_told(const char* trouble);
// Appends to what fake_cupti_said() returns.
fuselab::cuda::abi::CuptiCode note(const char* what);
