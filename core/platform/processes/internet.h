// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace fuselab::platform {

// Has the kernel refuse sockets of the internet (IPv4, IPv6) to the calling thread, to the threads that it starts from now on and
// to all programs that these start, for as long as they live: socket() fails with EACCES. Sockets of this machine stay, and so does
// the speed of all other calls. Programs with the setuid bit gain no rights any more. Call it before there are other threads.
// Fails with kUnavailable and the reason where the kernel cannot; then nothing is refused.
Status refuse_internet();

// Returns how many such sockets were refused so far, to this process and to the programs that it started. A kernel older than 5.0
// refuses without counting.
std::int64_t refused_internet_sockets();

}  // namespace fuselab::platform
