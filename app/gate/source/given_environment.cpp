// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/given_environment.h"

#include <algorithm>
#include <string_view>

#include "app/gate/source/repository.h"
#include "core/platform/processes/own_environment.h"

namespace fuselab::engine {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kCarried = "FUSELAB_GIVEN_";
constexpr std::string_view kMark = "FUSELAB_GIVEN";  // says that an environment is carried, even an empty one

bool is_carrying(std::string_view name) {
  return name == kMark || name.starts_with(kCarried);
}

}  // namespace

Variables carried_environment() {
  const std::vector<std::string> untold = repository_variables();
  Variables carried = {{std::string(kMark), "1"}};
  for (auto& [name, value] : platform::own_environment()) {
    if (is_carrying(name) || std::ranges::find(untold, name) != untold.end()) continue;
    carried.emplace_back(std::string(kCarried) + name, std::move(value));
  }
  return carried;
}

void give_environment(platform::ChildOptions& options) {
  Variables own = platform::own_environment();
  options.withheld = repository_variables();
  const bool carried = std::ranges::any_of(own, [](const auto& variable) { return variable.first == kMark; });
  for (auto& [name, value] : own) {
    if (carried || is_carrying(name)) options.withheld.push_back(name);
    if (carried && name.starts_with(kCarried)) options.variables.emplace_back(name.substr(kCarried.size()), std::move(value));
  }
}

}  // namespace fuselab::engine
