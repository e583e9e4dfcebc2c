// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/profile/profile.h"
#include "core/store/profile_record.h"

namespace fuselab::engine {

// The ceilings that a profile measured, as they are stored.
struct CeilingAnswer {
  std::vector<Ceiling> rows;
};
// Metrics that a simulator counted.
struct ExactAnswer {
  std::vector<Metric> metrics;
};

// The collectors' answers about one plan: those that the database has and those that are new, which one commit adds to it.
class StoredAnswers {
 public:
  // `again`: what is stored does not count. Without a plan key nothing is read or stored.
  StoredAnswers(Engine& engine, ProfileRecord about, bool again);

  // Returns the newest stored answer of this version of a collector; nothing where there is none or it cannot be read.
  template <typename Answer>
  std::optional<Answer> find(const std::string& collector, int version, CollectorNote& note) const;
  template <typename Answer>
  void add(const Answer& answer, const CollectorNote& note);

  // Stores what is new. Fails where the database is open for reading only, another process writes it or the disk is full.
  Status store();

 private:
  Engine& engine_;
  ProfileRecord about_;
  std::vector<ProfileRecord> known_, added_;
};

}  // namespace fuselab::engine
