// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::cpu {

// Returns the error for a compiler that did not exit with 0. It is the compiler's own verdict on the text (kCompileFailed), which
// another try would repeat, or something that says nothing about the text: the compiler or a program it started was killed from
// outside (kCrashed), memory ran out (kOutOfMemory), the disk is full (kIo), a part of its installation is missing (kUnavailable).
// `exit` is ChildProcess's text, `words` the compiler's output, in English.
Error compiler_failure(const std::string& program, const std::string& exit, std::string_view words);

}  // namespace fuselab::cpu
