// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "tests/support/fake_cuda/behaviour.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// What libraries that look like AMD's share: the fake HIP runtime that $FUSELAB_LIB_HIP names, and how they end.
namespace fuselab::fake_amd {

// Queues one kernel on the fake runtime's stream; returns HIP's code.
inline int queue(std::function<int()> kernel) {
  void* const runtime = dlopen(std::getenv("FUSELAB_LIB_HIP"), RTLD_NOW | RTLD_NOLOAD);
  if (runtime == nullptr) std::abort();
  using Kernel = std::function<int()>;
  const auto call = reinterpret_cast<int (*)(int (*)(void*), void*, void (*)(void*))>(dlsym(runtime, "fuselab_fake_hip_queue"));
  return call([](void* held) { return (*static_cast<Kernel*>(held))(); }, new Kernel(std::move(kernel)),
              [](void* held) { delete static_cast<Kernel*>(held); });
}

// "crash" and "hang" end or stop the process; a number is the answer.
inline int answer_of(const fake_cuda::Behaviour& asked, const char* call) {
  if (asked.text(call) == "crash") std::abort();
  while (asked.text(call) == "hang") ::pause();
  return static_cast<int>(asked.number(call).value_or(0));
}

}  // namespace fuselab::fake_amd
