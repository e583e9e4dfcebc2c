// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "app/engine/measure_job/job_tables.h"

namespace fuselab::engine {

// A piece on a device.
struct Place {
  std::size_t table = 0;  // of JobTables::all(), and of JobParts::fused_models
  const Piece* piece = nullptr;
  DeviceTuner* tuner = nullptr;
};

// The places that a job can measure, and what its tables say of them now.
class JobPlaces {
 public:
  JobPlaces(const JobParts& parts, const JobTables& tables) : parts_(parts), tables_(tables) {}

  // Returns the pieces that can be measured on each device; with `once` not again where a later model has one, too.
  std::vector<Place> all(bool once) const;
  // Return the recommended places that are not confirmed, and those where fused and unfused were not compared in fresh processes.
  std::vector<Place> unconfirmed() const;
  std::vector<Place> uncompared() const;
  // Sorts the places by the time that their pieces take in their models, unknown times first; equal ones keep their order.
  void most_time_first(std::vector<Place>& places) const;

  const CompareRow* row_of(const Place& place) const;
  const CompareCell* cell_of(const Place& place) const;
  bool is_recommended(const Place& place) const;

 private:
  double recommended_ns(const Place& place) const;  // of all uses of the piece, on whichever device; infinite where not known

  const JobParts& parts_;
  const JobTables& tables_;
};

}  // namespace fuselab::engine
