// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/measure_job/job_pace.h"
#include "app/engine/measure_job/job_places.h"
#include "app/engine/tune/tuning_worth.h"

namespace fuselab::engine {

// The part of a job that divides its budget among searches, by what each piece can win.
class TuningPhase {
 public:
  TuningPhase(const JobParts& parts, JobTables& tables, const JobPlaces& places, JobPace& pace)
      : parts_(parts), tables_(tables), places_(places), pace_(pace) {}

  Status run();

 private:
  // A place with searches left, or with winners that were never compared.
  struct Turn : Place {
    double worth = 0;
    int searches = 0;  // 0: only its winners are to be measured
  };
  Status make_search_budget();
  // Returns all of them, most time to be won first; none when everything is tuned.
  Result<std::vector<Turn>> turns_by_worth();
  double seconds_for_tuning() const;
  TuningWorth worth_of(const Place& place) const;
  // Gives the piece up on the device, for the reason that `worth` states.
  Status give_up(const Place& place, const TuningWorth& worth);
  Status say_that_all_is_tuned();
  void say_what_was_given_up();
  void say_what_was_decided();

  const JobParts& parts_;
  JobTables& tables_;
  const JobPlaces& places_;
  JobPace& pace_;
  std::vector<std::string> given_up_;  // "Gemm+Relu on opencl:0: …"
};

}  // namespace fuselab::engine
