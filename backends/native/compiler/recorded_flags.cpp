// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/recorded_flags.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>

namespace fuselab::cpu {
namespace {

constexpr std::string_view kKnown[] = {"-std=c11",
                                       "-fPIC",
                                       "-shared",
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-Wno-psabi",
                                       "-g1",
                                       "-fopenmp",
                                       "-lm",
                                       "-Werror=incompatible-pointer-types",
                                       "-Werror=int-conversion",
                                       "-Werror=implicit-function-declaration",
                                       "-O0",
                                       "-O1",
                                       "-O2",
                                       "-O3",
                                       "-ffp-contract=off",
                                       "-ffp-contract=fast",
                                       "-march=x86-64",
                                       "-march=x86-64-v2",
                                       "-march=x86-64-v3",
                                       "-march=x86-64-v4"};

}  // namespace

Status check_recorded_flags(std::string_view flags) {
  std::istringstream words{std::string(flags)};
  for (std::string word; words >> word;) {
    if (std::find(std::begin(kKnown), std::end(kKnown), word) != std::end(kKnown)) continue;
    return Error{ErrorCode::kUnsupported, "this Fuselab compiles nothing with the recorded flag '" + word.substr(0, 80) + "'"};
  }
  return {};
}

}  // namespace fuselab::cpu
