// SPDX-License-Identifier: Apache-2.0
#include "backends/library/host/host_device.h"

#include "backends/host/processor.h"
#include "core/base/content_hash.h"

namespace fuselab::library {

DeviceInfo describe_device(const LibraryFacts& facts) {
  DeviceInfo info = host::describe_cpu();
  const std::string processor = info.uuid;
  info.id = facts.id + ":0";
  info.backend = facts.id;
  // A processor that other backends drive as well: whoever reads a table must see by which way.
  info.name += " (this CPU through " + facts.name + " " + facts.version + ", " + facts.settings +
               (facts.is_tried ? ")" : ", a version that was not tried)");
  info.driver_version = facts.version;
  info.properties["uuid"] = processor;  // the silicon that cpu:0 is
  info.properties["library"] = facts.path;
  if (!facts.build.empty()) info.properties["library_build"] = facts.build;
  info.properties["settings"] = facts.settings;
  info.properties["threads"] = facts.threads;
  info.properties.erase("simd");
  info.other_targets.clear();
  info.target.id = target_id(facts);
  info.target.arch = facts.id;
  info.target.limits["max_threads"] = facts.most_threads;
  IdentityHasher identity(facts.id);
  identity.add("processor", processor).add("version", facts.version).add("build", facts.build).add("settings", facts.settings);
  info.uuid = identity.finish().hex();
  return info;
}

}  // namespace fuselab::library
