// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/rocm/abi/rocprof_abi.h"

#define FAKE_API extern "C" __attribute__((visibility("default")))

// Whether $FAKE_ROCPROFILER is this word.
bool is_told(const char* trouble);
// Whether the tool is being initialised: only then are services made.
bool is_initialising();
// Counts a dispatch where a counting context is on. Returns at once.
void count_dispatch(const fuselab::hip::abi::RocprofDispatch& dispatch, std::uint64_t start, std::uint64_t end);
void start_counting(bool on);
void forget_counting();

inline constexpr std::uint64_t kNamingContext = 1, kTracingContext = 2, kCountingContext = 3, kBuffer = 77, kGpu = 4242;
