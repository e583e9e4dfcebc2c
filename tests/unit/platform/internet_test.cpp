// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/internet.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace fuselab::platform {
namespace {

constexpr int kCannotBeTried = 77;

// The errno of a socket of this family, 0 where there is one.
int refusal_of(int family) {
  const int fd = ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

[[noreturn]] void try_sockets() {
  if (const Status refused = refuse_internet(); !refused.ok()) {
    std::fprintf(stderr, "%s\n", refused.error().message.c_str());
    ::_exit(kCannotBeTried);
  }
  int wrong = refusal_of(AF_INET) != EACCES;
  wrong += refusal_of(AF_INET6) != EACCES;
  std::thread([&] { wrong += refusal_of(AF_INET) != EACCES; }).join();
  wrong += std::system("exec 2>/dev/null; bash -c ': </dev/udp/127.0.0.1/9'") == 0;
  wrong += refusal_of(AF_UNIX) != 0;
  wrong += refusal_of(AF_NETLINK) != 0 && refusal_of(AF_NETLINK) != EPROTONOSUPPORT && refusal_of(AF_NETLINK) != ESOCKTNOSUPPORT;
  const auto counted = refused_internet_sockets();
  std::fprintf(stderr, "counted %d\n", static_cast<int>(counted));
  ::_exit(wrong != 0 ? 1 : 0);
}

TEST(Internet, IsRefusedToAProcessItsThreadsAndItsProgramsAndCounted) {
  EXPECT_EXIT(
      try_sockets(), [](int how) { return WIFEXITED(how) && (WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == kCannotBeTried); },
      "counted 4|seccomp");
  EXPECT_EQ(refused_internet_sockets(), 0) << "the process that asked for nothing";
}

}  // namespace
}  // namespace fuselab::platform
