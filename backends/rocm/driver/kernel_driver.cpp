// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/kernel_driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fuselab::hip {

int try_kernel_driver(const std::string& kfd) {
  const int file = open(kfd.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  close(file);
  return 0;
}

std::string why_no_gpu(const std::string& kfd, int error) {
  constexpr const char* kFlags = "start a container with --device /dev/kfd --device /dev/dri";
  switch (error) {
    case 0:
      return "the amdgpu driver shows none to this process: rocminfo lists them, HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES hide "
             "them";
    case ENOENT: return "there is no " + kfd + ": load the amdgpu driver, or " + kFlags;
    case EPERM: return kfd + " is closed to this container: " + kFlags;
    case EACCES:
      return kfd + " is closed to this user: add the user to the group render, or start a container with --group-add render";
    default: return kfd + " does not open: " + std::strerror(error);
  }
}

}  // namespace fuselab::hip
