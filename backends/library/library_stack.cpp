// SPDX-License-Identifier: Apache-2.0
#include "backends/library/library_stack.h"

#include <algorithm>

#include "backends/host/processor.h"
#include "core/base/content_hash.h"
#include "core/fusion/match/forms.h"
#include "core/fusion/match/group.h"

namespace fuselab::library {

BackendCapabilities capabilities_of(std::vector<std::string> patterns, std::vector<DType> dtypes, std::vector<Op> operators) {
  BackendCapabilities capabilities;
  capabilities.patterns = std::move(patterns);
  capabilities.dtypes = std::move(dtypes);
  capabilities.operators = std::move(operators);
  capabilities.fusion.takes_prologue = true;  // as calls of their own
  for (const Op op : computed_ops()) {
    const auto& claimed = capabilities.operators;
    const bool computed = std::find(claimed.begin(), claimed.end(), op) != claimed.end();
    if (is_elementwise(op) && shares_no_kernel(op) && !computed) capabilities.fusion.writes_alone.push_back(op);
  }
  capabilities.supports_autotuning = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

DeviceInfo describe_device(const LibraryFacts& facts) {
  DeviceInfo info = host::describe_cpu();
  const std::string processor = info.uuid;
  info.id = facts.id + ":0";
  info.backend = facts.id;
  // A processor that other backends drive as well: whoever reads a table must see by which way.
  info.name += " (this CPU through " + facts.name + " " + facts.version + ", " + facts.settings + ")";
  info.driver_version = facts.version;
  info.properties["uuid"] = processor;  // the silicon that cpu:0 is
  info.properties["library"] = facts.path;
  if (!facts.build.empty()) info.properties["library_build"] = facts.build;
  info.properties["settings"] = facts.settings;
  info.properties["threads"] = facts.threads;
  info.properties.erase("simd");
  info.other_targets.clear();
  info.target.id = facts.id + "-" + facts.version + "-" + facts.settings;
  info.target.arch = facts.id;
  info.target.limits["max_threads"] = facts.most_threads;
  IdentityHasher identity(facts.id);
  identity.add("processor", processor).add("version", facts.version).add("build", facts.build).add("settings", facts.settings);
  info.uuid = identity.finish().hex();
  return info;
}

}  // namespace fuselab::library
