// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/topology/topology_plugins.h"

#include "core/kernel/virtual_target.h"

namespace fuselab::xla {

const TopologyPlugins::Opened& TopologyPlugins::of(TopologyPlugin::Kind kind) {
  const auto known = opened_.find(kind);
  return known != opened_.end() ? known->second : opened_.emplace(kind, open_(kind)).first->second;
}

const TopologyPlugin* TopologyPlugins::any() {
  for (const auto kind : {TopologyPlugin::Kind::kCuda, TopologyPlugin::Kind::kTpu}) {
    if (const Opened& opened = of(kind); opened.ok()) return opened.value().get();
  }
  return nullptr;
}

std::map<std::string, std::string> TopologyPlugins::targets() {
  std::map<std::string, std::string> known;
  for (const std::string& id : virtual_target_ids()) {
    const Target target = virtual_target(id).value().target;
    const auto kind = plugin_for(target);
    if (!kind) continue;
    const Opened& opened = of(*kind);
    if (!opened.ok() || !opened.value()->knows(target).ok()) continue;
    known[id] = "compiled by " + opened.value()->name() + " " + opened.value()->plugin().interface + ", which only compiles";
  }
  return known;
}

}  // namespace fuselab::xla
