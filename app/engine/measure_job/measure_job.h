// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/measure_job/place_phases.h"
#include "app/engine/measure_job/tuning_phase.h"

namespace fuselab::engine {

// The one long job behind run, bench and tune: cuts the subjects into pieces, measures every cell once, tunes the pieces in order
// of the time to be won, confirms what it recommends and compares fused with unfused plans. With a budget all of this shares it.
// Publishes progress, trials and tables. Runs in the job's thread.
class MeasureJob {
 public:
  MeasureJob(JobContext& context, std::vector<BackendReport> backends)
      : parts_{context, std::move(backends)},
        tables_(parts_),
        places_(parts_, tables_),
        pace_(parts_),
        phases_(parts_, tables_, places_, pace_),
        tuning_(parts_, tables_, places_, pace_) {}
  MeasureJob(const MeasureJob&) = delete;  // its members refer to each other
  MeasureJob& operator=(const MeasureJob&) = delete;

  // Looks at what is asked for. A job that fails here, on a name it does not know say, is no run: nothing was stored of it.
  Status prepare();
  // Measures; after prepare(), once the run is stored.
  Status run();
  std::vector<CompareTable> tables() const { return tables_.all(); }
  JobProgress counts() const { return pace_.counts(); }  // trials measured, reused and failed so far

 private:
  Status cut_subjects();
  Status name_models();
  Status open_tuners();
  Status give_config();  // to the tuners; an error when it does not fit a piece on a device
  Status store_subjects();
  Status measure();
  void expect();  // tells the pace what is left to do, by the tables
  // After an early end: waits for what is being stored and builds the tables from it. Returns `ended`, or the error of storing what
  // the job measured.
  Status show_what_is_stored(const Status& ended);

  JobParts parts_;
  JobTables tables_;
  JobPlaces places_;
  JobPace pace_;
  PlacePhases phases_;
  TuningPhase tuning_;
};

}  // namespace fuselab::engine
