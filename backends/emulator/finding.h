// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace fuselab::simt {

// A place in a kernel: a line of its text where a primitive was called, or the address of an instruction.
using CodePlace = std::uint64_t;

// Places inside of texts, until the launch is over and lines can be looked up.
std::string place_mark(CodePlace place);
// The text with every mark replaced by what `name` says of its place.
std::string replace_place_marks(const std::string& text, const std::function<std::string(CodePlace)>& name);

// Ends the launch: the process that runs it stops here and hands the text to its parent. The first finding is the only one.
[[noreturn]] void report(const std::string& finding);
// The same with what the executor cannot do: it says nothing about the kernel.
[[noreturn]] void report_limit(const std::string& finding);

}  // namespace fuselab::simt
