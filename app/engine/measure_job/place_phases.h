// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/measure_job/job_pace.h"
#include "app/engine/measure_job/job_places.h"

namespace fuselab::engine {

// The phases of a job that visit places one by one: first figures before its tuning, and afterwards what makes them last.
class PlacePhases {
 public:
  PlacePhases(const JobParts& parts, JobTables& tables, const JobPlaces& places, JobPace& pace)
      : parts_(parts), tables_(tables), places_(places), pace_(pace) {}

  Status measure_first_device();
  Status measure_whole_models();
  Status measure_other_devices();
  Status measure_disturbed_again();
  Status measure_cold();
  Status confirm_recommended();
  Status confirm_what_stands();  // on the one device that the job is for
  Status decide_gains();
  void say_what_is_unconfirmed();

 private:
  // Visits the places with progress for as long as there are `seconds_left` for them, or all without it. A failed visit is a
  // warning unless it ends the job. Returns how many were not visited.
  using Visit = std::function<Status(const Piece&, DeviceTuner&)>;
  Result<std::size_t> for_each_place(const std::string& phase, const std::vector<Place>& places, const Visit& visit,
                                     const std::function<double()>& seconds_left = {});
  // The first figure of each place.
  Result<std::size_t> measure_places(const std::string& phase, const std::vector<Place>& places,
                                     const std::function<double()>& seconds_left);

  const JobParts& parts_;
  JobTables& tables_;
  const JobPlaces& places_;
  JobPace& pace_;
  std::set<std::pair<const Piece*, const DeviceTuner*>> confirming_tried_;
};

}  // namespace fuselab::engine
