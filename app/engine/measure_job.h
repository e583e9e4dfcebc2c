// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "app/engine/compare/compare_builder.h"
#include "app/engine/job/job_context.h"
#include "app/engine/subject/model_names.h"
#include "app/engine/tune/device_tuner.h"
#include "app/engine/tune/tuning_worth.h"

namespace fuselab::engine {

// The one long job behind run, bench and tune: cuts the subjects into pieces, measures every cell once, then tunes the pieces in
// order of the time to be won until the budget ends. Publishes progress, trials and tables. Runs in the job's thread.
class MeasureJob {
 public:
  MeasureJob(JobContext& context, std::vector<BackendReport> backends);

  Status run();
  std::vector<CompareTable> tables() const { return tables_; }
  JobProgress counts() const;  // trials measured, reused and failed so far

 private:
  // Returns whether the error ends the job: a broken store or a cancel does. A block that failed because of the worker is a failure
  // of its piece only.
  static bool ends_job(const Error& error);
  Status prepare();
  Status measure();
  // After an early end: waits for what is being stored and builds the tables from it. Returns `ended`, or the error of storing what
  // the job measured.
  Status show_what_is_stored(const Status& ended);
  Status cut_subjects();
  Status name_models();
  bool is_given() const;
  Status give_config();  // to the tuners; an error when it does not fit a piece on a device
  Status open_tuners();
  Status store_subjects();
  Status bench_everything();
  Status tune_by_worth();
  // Returns whether the job asks the device for the models as one graph each.
  bool takes_whole(const DeviceTuner& tuner) const;
  Status measure_whole_models();
  Status measure_disturbed_again();
  Status measure_cold();
  Status decide_gains();
  // Visits every piece on every device with progress; a failed visit is a warning unless it ends the job.
  Status for_each_cell(const std::string& phase, const std::function<Status(const Piece&, DeviceTuner&)>& visit);
  // A piece on a device with searches left, or with winners that were never compared. turns_by_worth() returns all of them, most
  // time to be won first; none when everything is tuned.
  struct Turn {
    std::size_t table = 0;  // of tables_
    const Piece* piece = nullptr;
    DeviceTuner* tuner = nullptr;
    double worth = 0;
    int searches = 0;  // 0: only its winners are to be measured
  };
  Result<std::vector<Turn>> turns_by_worth();
  TuningWorth worth_of(std::size_t table, const Piece& piece, const DeviceTuner& tuner) const;
  // Gives the piece up on the device, for the reason that `worth` states.
  Status give_up(const Piece& piece, DeviceTuner& tuner, const TuningWorth& worth);
  void say_what_was_given_up();
  // Visits each measured piece once per device, however many subjects contain it; `table` is that of the first.
  Status for_each_search_place(const std::function<Status(std::size_t table, const Piece&, DeviceTuner&)>& visit);
  Status make_search_budget();
  Status say_that_all_is_tuned();
  void say_what_was_decided();
  Status store_choices();
  Result<std::vector<CompareTable>> build_tables(EvidenceReader& evidence) const;
  Status publish_tables();
  Status publish_tables(EvidenceReader& evidence);
  void report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
              const std::string& detail = "");
  std::vector<ComparedDevice> compared_devices() const;

  JobContext& context_;
  std::vector<BackendReport> backends_;
  std::vector<FusedModel> fused_models_;
  ModelNames names_;
  std::vector<std::unique_ptr<DeviceTuner>> tuners_;
  std::vector<CompareTable> tables_;
  std::vector<std::string> given_up_;  // "Gemm+Relu on opencl:0: …"
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace fuselab::engine
