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

// One fused piece of a case on one device: the unit that is compared.
struct GateItem {
  std::string name;     // "softmax"; "bert/layer.0/attention" where the case has several pieces
  std::string subject;  // "w5-softmax rows=128,cols=1024 f32"
  DeviceInfo device;
  Piece piece;
};

// The launch configuration in which Fuselab would run a piece today, and where it comes from.
struct GateConfig {
  LaunchConfig config;
  std::string from;  // "tuned", "fuselab.toml", "as in the baseline", "default"
};

// Makes today's kernels for the gate, in worker processes. Used by one thread.
class GateKernels {
 public:
  // Finds the devices that these cases name (`devices` replaces each case's own); all devices where one of the cases names none.
  // Without a database nothing counts as tuned.
  // Fails with kCorrupt, kUnsupported, kBusy, kIo or kInvalidArgument for a database that cannot be read; this is not the fault of
  // a case.
  static Result<std::unique_ptr<GateKernels>> open(const Config& config, const std::vector<CheckCase>& cases,
                                                   const std::vector<std::string>& devices, std::stop_token stop);

  bool has(const std::string& device_id) const;  // whether the device exists here, asked for or not
  // Returns the devices of a case, each lowered to `target` where one is named.
  Result<std::vector<DeviceInfo>> devices(const std::vector<std::string>& wanted, const std::string& target) const;
  // Returns the case with each of its element types and extents.
  Result<std::vector<GateSubject>> subjects(const CheckCase& of, const DeviceInfo& device);
  // Returns the pieces that make up the case on the device; pieces without a kernel are left out. Fails with kNotFound or
  // kInvalidArgument for a subject that does not exist.
  Result<std::vector<GateItem>> items(const CheckCase& of, const DeviceInfo& device);

  // Returns the configuration that the case names; else the one tuned here; else the baseline's, where the generator still knows
  // it, so that a machine without results of its own compares like with like; else the default.
  Result<GateConfig> configuration(const CheckCase& of, const GateItem& item, const BaselineKernel* baseline);
  // Returns whether the generator would make the piece in this configuration here.
  Result<bool> accepts(const GateItem& item, const LaunchConfig& config);
  // Returns source and identity, without a binary.
  Result<CompiledKernel> identify(const GateItem& item, const LaunchConfig& config);
  Result<CompiledKernel> compile(const GateItem& item, const LaunchConfig& config);

  WorkerPool& workers() { return workers_; }
  db::Trust& trust() { return *trust_; }
  std::stop_token stop() const { return stop_; }
  // Returns the identity of this machine as it is now, for figures of the device.
  EnvironmentIdentity machine(const DeviceInfo& device) const;
  // Returns facts about the machine, its clock, the share of its processors that this process has, and its devices, without
  // synthetic ones: "cpu" -> "AMD EPYC".
  std::vector<std::pair<std::string, std::string>> environment() const;

 private:
  GateKernels(const Config& config, std::stop_token stop);
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
