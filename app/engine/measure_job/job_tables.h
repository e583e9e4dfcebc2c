// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/measure_job/job_parts.h"

namespace fuselab::engine {

// The tables of a job, one for each of its models, built from what is stored.
class JobTables {
 public:
  explicit JobTables(const JobParts& parts) : parts_(parts) {}

  const std::vector<CompareTable>& all() const { return tables_; }
  // Builds and publishes them.
  Status publish() { return publish(parts_.context.evidence); }
  Status publish(EvidenceReader& evidence);
  // Publishes them where `next`, in seconds of the clock, has come, and sets it anew.
  Status publish_now_and_then(double& next);
  // Returns when publish_now_and_then() is due for the first time in a phase.
  static double first_due();
  // Stores what the tables recommend as the choice for each piece.
  Status store_choices() const;

 private:
  Result<std::vector<CompareTable>> build(EvidenceReader& evidence) const;
  std::vector<ComparedDevice> compared_devices() const;

  const JobParts& parts_;
  std::vector<CompareTable> tables_;
};

}  // namespace fuselab::engine
