// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

Error closed() {
  return {ErrorCode::kUnavailable, "the other end of the channel is closed"};
}

// Waits until `fd` is ready for `events`; kTimeout when it is not in time. Interrupted waits go on with what time is left.
Status wait_ready(int fd, short events, std::chrono::milliseconds timeout) {
  const Nanoseconds deadline{monotonic_now().count + static_cast<double>(timeout.count()) * 1e6};
  for (;;) {
    const double left = (deadline.count - monotonic_now().count) * 1e-6;
    pollfd entry{fd, events, 0};
    const int ready = ::poll(&entry, 1, left > 0 ? static_cast<int>(left) + 1 : 0);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return last_os_error("wait for a channel");
    if (ready == 0) return Error{ErrorCode::kTimeout, "the other end of the channel did not answer in time"};
  }
}

}  // namespace

Result<std::pair<Channel, Channel>> Channel::create_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return last_os_error("create a channel to a worker");
  return std::pair(Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1])));
}

Status Channel::send(std::span<const std::byte> bytes, std::chrono::milliseconds timeout) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      FL_TRY_VOID(wait_ready(fd_.get(), POLLOUT, timeout));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return closed();
    } else if (errno != EINTR) {
      return last_os_error("send to a channel");
    }
  }
  return {};
}

Result<std::size_t> Channel::receive_some(std::span<std::byte> into, std::chrono::milliseconds timeout) {
  for (;;) {
    const ssize_t got = ::recv(fd_.get(), into.data(), into.size(), MSG_DONTWAIT);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0 || errno == ECONNRESET) return closed();
    if (errno == EAGAIN) {
      FL_TRY_VOID(wait_ready(fd_.get(), POLLIN, timeout));
    } else if (errno != EINTR) {
      return last_os_error("receive from a channel");
    }
  }
}

void wait_for_hangup(int fd) {
  for (;;) {
    pollfd entry{fd, POLLRDHUP, 0};  // no POLLIN: requests that wait to be read must not wake this
    if (::poll(&entry, 1, -1) > 0) return;
  }
}

}  // namespace fuselab::platform
