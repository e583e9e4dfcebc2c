// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/internet.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

#include "core/platform/system/os_error.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;  // no call has it: nothing is refused
#endif

std::atomic<std::int64_t> refused{0};

// Installs the filter: socket() with a family of the internet ends as `verdict` says, everything else goes on. Returns a file
// descriptor where a listener is asked for, else 0; -1 with errno when the kernel does not take it.
int install(unsigned verdict, unsigned flags) {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),  // its lower half: both processors are little-endian
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, verdict),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(steps)), steps};
  // Kernels before 5.16 slow a filtered process down, as a guard against Spectre, unless it says that it wants none.
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program));
}

// A thread that asks for a socket is put through to here and waits for the answer.
class Listener {
 public:
  // The sizes are the kernel's own, which may be newer than this header. Memory is taken now: a thread's first piece of it costs
  // 64 MiB of a limited address space.
  Listener(UniqueFd fd, const seccomp_notif_sizes& sizes)
      : fd_(std::move(fd)),
        asked_(std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif))),
        answer_(std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp))) {}

  // Counts and refuses, until the process ends.
  void serve() {
    auto* const request = reinterpret_cast<seccomp_notif*>(asked_.data());
    auto* const reply = reinterpret_cast<seccomp_notif_resp*>(answer_.data());
    for (;;) {
      std::fill(asked_.begin(), asked_.end(), std::byte{0});
      if (::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, request) != 0) {
        if (errno == EINTR || errno == ENOENT) continue;  // whoever asked is gone
        return;                                           // without a listener the kernel refuses with ENOSYS
      }
      ++refused;
      std::fill(answer_.begin(), answer_.end(), std::byte{0});
      reply->id = request->id;
      reply->error = -EACCES;
      ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, reply);
    }
  }

 private:
  UniqueFd fd_;
  std::vector<std::byte> asked_, answer_;
};

}  // namespace

Status refuse_internet() {
  if (kArchitecture == 0) return Error{ErrorCode::kUnavailable, "no filter of system calls is known for this CPU"};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return last_os_error("give up new privileges");
  seccomp_notif_sizes sizes{};
  const bool listens = ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
  UniqueFd fd(listens ? install(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER) : -1);
  if (!fd.valid()) {
    if (install(SECCOMP_RET_ERRNO | EACCES, 0) == 0) return {};
    return Error{ErrorCode::kUnavailable, last_os_error("filter system calls (seccomp)").message};
  }
  try {
    std::thread([listener = Listener(std::move(fd), sizes)]() mutable { listener.serve(); }).detach();
  } catch (const std::system_error&) {
    // The listener is gone: the kernel refuses all the same, and nothing is counted.
  }
  return {};
}

std::int64_t refused_internet_sockets() {
  return refused;
}

}  // namespace fuselab::platform
