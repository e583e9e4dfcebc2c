// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_mode.h"

#include <array>
#include <string>

#include "core/base/plain_text.h"

namespace fuselab::engine {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"paired", "historical", "golden"};

}  // namespace

std::string_view name_of(BaselineMode mode) {
  return kNames[static_cast<std::size_t>(mode)];
}

Result<BaselineMode> parse_baseline_mode(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<BaselineMode>(i);
  }
  return invalid_argument("'" + plain_line(std::string(name.substr(0, 40))) + "' is none; there are paired, historical and golden");
}

}  // namespace fuselab::engine
