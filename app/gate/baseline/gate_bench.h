// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/compare/stored_results.h"
#include "app/engine/job/engine.h"
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/subject/piece.h"
#include "app/engine/workers/worker_pool.h"
#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/check_config.h"

namespace fuselab::engine {

// A case with its extents and element type, cut for a device.
struct GateSubject {
  std::string name;  // "softmax"; "softmax f16" where the case has several
  std::string text;  // "w5-softmax rows=128,cols=1024 f32"
  FusedModel fused_model;
};

// One fused piece of a case on one device: what is compared.
struct GateItem {
  std::string name;     // "softmax"; "bert/layer.0/attention" where the case has several pieces
  std::string subject;  // "w5-softmax rows=128,cols=1024 f32"
  DeviceInfo device;
  Piece piece;
};

// In which launch configuration Fuselab would run a piece today, and on whose word.
struct GateConfig {
  LaunchConfig config;
  std::string from;  // "tuned", "fuselab.toml", "as in the baseline", "default"
};

// Makes the gate's kernels of today, in worker processes. Used by one thread.
class GateBench {
 public:
  // Finds the devices that these cases name (`devices`: in place of each case's own); all, where one of them names none. Whoever
  // has no database yet has nothing tuned; one that cannot be read is an error, and no case's fault: kCorrupt, kUnsupported, kBusy,
  // kIo, kInvalidArgument.
  static Result<std::unique_ptr<GateBench>> open(const Config& config, const std::vector<CheckCase>& cases,
                                                 const std::vector<std::string>& devices, std::stop_token stop);

  // The devices of a case, each lowered to `target` where one is named.
  bool has(const std::string& device_id) const;  // whether it was found here, asked for or not
  Result<std::vector<DeviceInfo>> devices(const std::vector<std::string>& wanted, const std::string& target) const;
  // The case with each of its element types and extents.
  Result<std::vector<GateSubject>> subjects(const CheckCase& of, const DeviceInfo& device) const;
  // What the case consists of on the device; pieces without a kernel are left out. kNotFound, kInvalidArgument for a subject that
  // is none.
  Result<std::vector<GateItem>> items(const CheckCase& of, const DeviceInfo& device);

  // What the case names; else what was tuned here; else, where the generator still knows it, that of the baseline, so that a
  // machine without results of its own compares like with like; else the default.
  Result<GateConfig> configuration(const CheckCase& of, const GateItem& item, const BaselineKernel* baseline);
  // Whether the generator would make the piece in this configuration here.
  Result<bool> accepts(const GateItem& item, const LaunchConfig& config);
  // Source and identity, without a binary.
  Result<CompiledKernel> identify(const GateItem& item, const LaunchConfig& config);
  Result<CompiledKernel> compile(const GateItem& item, const LaunchConfig& config);

  WorkerPool& workers() { return workers_; }
  db::Trust& trust() { return *trust_; }
  std::stop_token stop() const { return stop_; }
  // This machine as it is now, for figures of the device.
  EnvironmentIdentity machine(const DeviceInfo& device) const;
  // The machine, its clock, what it leaves this process and the devices of these items: "cpu" -> "AMD EPYC". What is unknown is
  // left out.
  std::vector<std::pair<std::string, std::string>> environment() const;

 private:
  GateBench(const Config& config, std::stop_token stop);
  Result<wire::DescribeReply> describe(const GateItem& item);
  Result<std::optional<LaunchConfig>> tuned(const GateItem& item);

  const Config& config_;
  std::stop_token stop_;
  std::shared_ptr<db::Trust> trust_;
  WorkerPool workers_;
  StoredResults stored_;
  EvidenceReader evidence_;
  std::vector<BackendReport> backends_;
  std::map<std::string, std::string> environments_;  // by device id
};

}  // namespace fuselab::engine
