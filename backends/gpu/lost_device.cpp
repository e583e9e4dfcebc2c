// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/lost_device.h"

#include <cstdio>
#include <cstdlib>

namespace fuselab::gpu {
namespace {

constexpr int kExitCode = 70;

}  // namespace

void end_process(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(stderr);
  std::_Exit(kExitCode);
}

}  // namespace fuselab::gpu
