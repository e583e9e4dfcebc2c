// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::cpu {

// What it means that a compiler did not exit with 0: its own verdict on the text (kCompileFailed), which the next try would repeat,
// or something that befell it and says nothing about the text: it or a program it started was killed from outside (kCrashed),
// memory ran out (kOutOfMemory), the disk is full (kIo), a part of its installation is not to be had (kUnavailable). `exit` is
// ChildProcess's text, `words` what it wrote, in English.
Error compiler_failure(const std::string& program, const std::string& exit, std::string_view words);

}  // namespace fuselab::cpu
