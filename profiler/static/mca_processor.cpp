// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/mca_processor.h"

namespace fuselab::profile {

bool names_processor(std::string_view name) {
  return !name.empty() && name.front() != '(' && name != "generic" && !name.starts_with("x86-64");
}

std::vector<std::string> stand_in_processors(std::string_view device_name) {
  std::vector<std::string> first = {"znver5", "znver4", "znver3"};
  std::vector<std::string> then = {"sapphirerapids", "icelake-server", "skylake-avx512", "skylake"};
  if (device_name.find("AMD") == std::string_view::npos) first.swap(then);
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::string probe_for(std::string_view mca_input) {
  const bool wide = mca_input.find("zmm") != std::string_view::npos;
  return wide ? "vaddps %zmm0, %zmm1, %zmm2\n" : "vaddps %ymm0, %ymm1, %ymm2\n";
}

}  // namespace fuselab::profile
