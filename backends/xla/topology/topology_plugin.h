// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/xla/library/pjrt_plugin.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::xla {

// A program that was compiled for a device that need not be here.
struct AheadProgram {
  std::string serialized;
  // For KernelBinary: the memory that it takes and its fusions as resources, and what the vendor's model of its cost says.
  std::map<std::string, std::string> metadata;
};

// One of XLA's plugins that compile for a topology without a client: no device and no driver is asked for. What it makes cannot run
// here. Stays loaded for the process. Used by one thread at a time.
class TopologyPlugin {
 public:
  enum class Kind { kCuda, kTpu };

  // Looks for what `fuselab backends install xla-cuda` (xla-tpu) fetched, then for the wheel ($FUSELAB_LIB_XLA_CUDA and
  // $FUSELAB_LIB_XLA_TPU override). Fails as open_plugin().
  static Result<std::shared_ptr<TopologyPlugin>> open(Kind kind, const loading::Surroundings& surroundings);
  // Returns the surroundings of this process for one of them.
  static loading::Surroundings real_surroundings(Kind kind);

  const PjrtPlugin& plugin() const { return plugin_; }
  std::string name() const { return kind_ == Kind::kCuda ? "xla-cuda" : "xla-tpu"; }

  // Fails with kUnsupported where the plugin knows no such device.
  Status knows(const Target& target) const;
  // Compiles StableHLO text. Fails with kCompileFailed in XLA's words.
  Result<AheadProgram> compile(const std::string& text, const Target& target) const;

 private:
  TopologyPlugin(Kind kind, PjrtPlugin plugin) : kind_(kind), plugin_(std::move(plugin)) {}
  Result<abi::Topology*> topology(const Target& target) const;

  Kind kind_;
  PjrtPlugin plugin_;
};

// Returns the plugin that compiles for a target; nothing for one that XLA is not asked for.
std::optional<TopologyPlugin::Kind> plugin_for(const Target& target);

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
  // Returns by what each target is compiled that an opened plugin knows: "compiled by xla-cuda 0.116, which only compiles".
  std::map<std::string, std::string> targets();

 private:
  Open open_;
  std::map<TopologyPlugin::Kind, Opened> opened_;
};

}  // namespace fuselab::xla
