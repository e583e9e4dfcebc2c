// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/snapshots.h"

// Which backend should be the default, from whole models: each device beside the best mix of all of them. Makes no measurement.
namespace fuselab::engine {

// One device on one model, each piece with the faster of its plans that may be chosen.
struct DeviceOnModel {
  // Its time as a multiple of the best mix's; the interval is as wide as the ends of all pieces' intervals allow together. Nothing
  // where the device's time, or the mix's, is not known.
  std::optional<Ratio> slow_down;
  double ns = 0;      // 0: not known
  Interval interval;  // of ns
  int own = 0, pieces = 0;
  int elsewhere = 0;  // pieces without a figure on the device; the time has what they cost on the fastest other one
  std::string why_not;
};

// One reason why a device has no figure of some pieces.
struct MissingPieces {
  std::string reason;
  std::string first;  // the piece that it was first met with: "resnet50: layer1/0/conv1"
  int pieces = 0;
};

struct DeviceStanding {
  std::string device_id, backend;
  std::vector<DeviceOnModel> models;   // as BackendDecision::models
  std::optional<Ratio> mean;           // geometric, of the slow-downs that are known
  int whole_models = 0;                // that have a slow-down
  int own = 0, pieces = 0;             // sums over the models
  std::vector<MissingPieces> missing;  // most pieces first
};

struct DecidedModel {
  std::string name;                      // "bert-layer batch=1,seq=128"
  int covered = 0, pieces = 0;           // the times are over the covered ones; no device ran the others
  double best_ns = 0;                    // of the best mix; 0: not known
  Interval best_interval;                // what the intervals of all its pieces allow together
  std::map<std::string, int> pieces_on;  // how many pieces of the mix run on which device
  int figures = 0, disturbed = 0;
  std::int64_t oldest_unix_ms = 0, newest_unix_ms = 0;  // when its figures were measured; 0: not known
};

// Devices are ranked: those with more models first, of these those that run every piece themselves, then by the mean. What a device
// leaves to the fastest other one is no merit of its own.
struct BackendDecision {
  std::vector<DecidedModel> models;
  std::vector<DeviceStanding> devices;

  double disturbed_share() const;
  // Returns one or more sentences: the device to prefer, how far it is from the best mix and from the next, what it cannot run, and
  // what speaks against deciding now.
  std::string sentence() const;
};

// Tables without a total are left out.
BackendDecision decide_backend(const std::vector<std::shared_ptr<const CompareTable>>& tables);

}  // namespace fuselab::engine
