// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/deploy/bundle/manifest.h"
#include "core/store/result_store.h"

namespace fuselab::deploy {

// Tells of figures where and how they were measured, each way once, in the order in which they are asked for.
class FigureMeasuring {
 public:
  explicit FigureMeasuring(ResultQueries& queries) : queries_(queries) {}

  // Returns the index in all() for the figure of this trial (Figure::trial_id).
  // Fails with kNotFound where the trial, its environment or its metric is not stored, and with the store's errors.
  Result<int> index_of(const std::string& trial_id);
  const std::vector<BundleMeasuring>& all() const { return all_; }

 private:
  Status read_identities();

  ResultQueries& queries_;
  bool read_ = false;
  std::map<std::string, EnvironmentIdentity> environments_;  // by key
  std::map<std::string, MetricIdentity> metrics_;
  std::vector<BundleMeasuring> all_;
};

}  // namespace fuselab::deploy
