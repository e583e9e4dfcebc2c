// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_flags.h"

#include <algorithm>
#include <span>
#include <sstream>

namespace fuselab::engine {
namespace {

constexpr std::string_view kTaken[] = {
    "-f", "-m", "-O", "-D", "-U", "-W", "-std=", "--std=", "-cl-", "--use_fast_math", "--fmad=", "-fmad", "--maxrregcount=", "-g1"};
// Flags among those that read, write or run other files or go to other programs.
constexpr std::string_view kRefused[] = {"-fplugin",      "-fpass-plugin",
                                         "-fdeps",        "-fstack-usage",
                                         "-fdiagnostics", "-ftest-coverage",
                                         "-fdump",        "-fprofile",
                                         "-fuse-ld",      "-fauto-profile",
                                         "-fopt-info",    "-fcompare-debug",
                                         "-ffile",        "-frandom",
                                         "-fsave",        "-fcallgraph",
                                         "-flto",         "-fwpa",
                                         "-Wl,",          "-Wa,",
                                         "-Wp,",          "-MD"};

bool begins_with_any(std::string_view word, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [word](std::string_view each) { return word.starts_with(each); });
}

}  // namespace

Status check_own_flags(std::string_view flags) {
  std::istringstream words{std::string(flags)};
  for (std::string word; words >> word;) {
    const bool is_plain = word.find_first_of("/@\\\"'`$") == std::string::npos;
    if (is_plain && begins_with_any(word, kTaken) && !begins_with_any(word, kRefused)) continue;
    return invalid_argument("'" + word +
                            "' is not taken: only flags that choose how the text is translated are (-O, -f, -m, -D, -W, -cl-)");
  }
  return {};
}

}  // namespace fuselab::engine
