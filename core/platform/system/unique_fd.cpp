// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/unique_fd.h"

#include <unistd.h>

namespace fuselab::platform {

void UniqueFd::reset(int fd) {
  // EINTR is not retried: on Linux the descriptor is gone either way, and a second close could hit somebody else's.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace fuselab::platform
