// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/xla/topology/topology_plugin.h"

namespace fuselab::xla {

// The plugins that compile for devices which are not here; each is opened on first use and kept, a failure as well. Used by one
// thread.
class TopologyPlugins {
 public:
  using Opened = Result<std::shared_ptr<TopologyPlugin>>;
  using Open = std::function<Opened(TopologyPlugin::Kind)>;

  explicit TopologyPlugins(Open open) : open_(std::move(open)) {}

  const Opened& of(TopologyPlugin::Kind kind);
  // Returns the first that opens; null where none does.
  const TopologyPlugin* any();
  // Returns, of the targets that an opened plugin knows, by which it is compiled: "compiled by xla-cuda 0.116, which runs nothing
  // here".
  std::map<std::string, std::string> targets();

 private:
  Open open_;
  std::map<TopologyPlugin::Kind, Opened> opened_;
};

}  // namespace fuselab::xla
