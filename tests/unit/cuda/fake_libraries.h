// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

#include "tests/support/environment_variables.h"

namespace fuselab::cuda {

using test::Variables;

// What one of the fake driver's functions for tests says: "fuselab_fake_cuda_misuses", "fuselab_fake_cuda_nanoseconds".
template <typename Value>
Value told_by_fake(const char* function) {
  void* const library = dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);  // the same that is open already
  const auto tell = reinterpret_cast<Value (*)()>(library == nullptr ? nullptr : dlsym(library, function));
  return tell == nullptr ? Value(-1) : tell();
}

// Both fake libraries in place of NVIDIA's, behaving well until told otherwise.
class FakeLibraries {
 public:
  FakeLibraries() {
    variables_.set("FUSELAB_LIB_CUDA", FAKE_DRIVER);
    variables_.set("FUSELAB_LIB_NVRTC", FAKE_NVRTC);
    driver("");
    compiler("");
  }
  void driver(const std::string& behaviour) { variables_.set("FUSELAB_FAKE_CUDA", behaviour); }
  void compiler(const std::string& behaviour) { variables_.set("FUSELAB_FAKE_NVRTC", behaviour); }
  void use(const std::string& variable, const std::string& value) { variables_.set(variable, value); }

 private:
  Variables variables_;
};

}  // namespace fuselab::cuda
