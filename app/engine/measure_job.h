// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/job/job_context.h"
#include "app/engine/subject/model_names.h"
#include "app/engine/tune/device_tuner.h"
#include "app/engine/tune/job_budget.h"
#include "app/engine/tune/tuning_worth.h"

namespace fuselab::engine {

// The one long job behind run, bench and tune: cuts the subjects into pieces, measures every cell once, tunes the pieces in order
// of the time to be won, confirms what it recommends and compares fused with unfused plans. With a budget all of this shares it.
// Publishes progress, trials and tables. Runs in the job's thread.
class MeasureJob {
 public:
  MeasureJob(JobContext& context, std::vector<BackendReport> backends);

  // Looks at what is asked for. A job that fails here, on a name it does not know say, is no run: nothing was stored of it.
  Status prepare();
  // Measures; after prepare(), once the run is stored.
  Status run();
  std::vector<CompareTable> tables() const { return tables_; }
  JobProgress counts() const;  // trials measured, reused and failed so far

 private:
  // Returns whether the error ends the job: a broken store or a cancel does. A block that failed because of the worker is a failure
  // of its piece only.
  static bool ends_job(const Error& error);
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
  // Seconds since the job began, pauses and waits for other processes' measurements left out.
  double seconds_spent() const;
  Status measure_first_figures();
  Status tune_by_worth();
  // Returns whether the job asks the device for the models as one graph each.
  bool takes_whole(const DeviceTuner& tuner) const;
  Status measure_whole_models();
  Status measure_disturbed_again();
  Status measure_cold();
  Status confirm_recommended();
  Status confirm_what_stands();  // on the one device that the job is for
  Status decide_gains();
  // A piece on a device.
  struct Place {
    std::size_t table = 0;  // of tables_
    const Piece* piece = nullptr;
    DeviceTuner* tuner = nullptr;
  };
  // Returns the pieces that can be measured on each device; with `once` not again where a later model has one, too.
  std::vector<Place> places(bool once) const;
  // Sorts the places by the time that their pieces take in their models, unknown times first; equal ones keep their order.
  void most_time_first(std::vector<Place>& places) const;
  const CompareRow* row_of(const Place& place) const;
  bool is_recommended(const Place& place) const;
  double recommended_ns(const Place& place) const;  // of all uses of the piece, on whichever device; infinite where not known
  const CompareCell* cell_of(const Place& place) const;
  // Returns the recommended places that are not confirmed, and those where fused and unfused were not compared in fresh processes.
  std::vector<Place> unconfirmed() const;
  std::vector<Place> uncompared() const;
  // Visits the places with progress for as long as there are `seconds_left` for them, or all without it. A failed visit is a
  // warning unless it ends the job. Returns how many were not visited.
  using Visit = std::function<Status(const Piece&, DeviceTuner&)>;
  Result<std::size_t> for_each_place(const std::string& phase, const std::vector<Place>& places, const Visit& visit,
                                     const std::function<double()>& seconds_left = {});
  std::string shown_model(std::size_t table) const;
  void say(LogLine::Level level, std::string text);
  void say_what_is_unconfirmed();
  // A place with searches left, or with winners that were never compared. turns_by_worth() returns all of them, most time to be won
  // first; none when everything is tuned.
  struct Turn : Place {
    double worth = 0;
    int searches = 0;  // 0: only its winners are to be measured
  };
  Result<std::vector<Turn>> turns_by_worth();
  double seconds_for_tuning() const;
  TuningWorth worth_of(const Place& place) const;
  // Gives the piece up on the device, for the reason that `worth` states.
  Status give_up(const Place& place, const TuningWorth& worth);
  void say_what_was_given_up();
  Status make_search_budget();
  Status say_that_all_is_tuned();
  void say_what_was_decided();
  Status store_choices();
  Result<std::vector<CompareTable>> build_tables(EvidenceReader& evidence) const;
  Status publish_tables();
  Status publish_tables(EvidenceReader& evidence);
  // Publishes them where `next`, in seconds of the clock, has come, and sets it anew.
  Status publish_tables_now_and_then(double& next);
  // Tells how far the job is, from how far its phase is: `done` and `seconds_left` are the phase's.
  void report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
              const std::string& detail = "");
  std::optional<double> seconds_left_of_job(const std::string& phase, std::optional<double> of_phase);
  std::vector<ComparedDevice> compared_devices() const;

  JobContext& context_;
  std::vector<BackendReport> backends_;
  std::vector<FusedModel> fused_models_;
  ModelNames names_;
  std::vector<std::unique_ptr<DeviceTuner>> tuners_;
  std::vector<CompareTable> tables_;
  std::vector<std::string> given_up_;  // "Gemm+Relu on opencl:0: …"
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double waited_before_ = context_.workers.waited_seconds();
  JobBudget budget_;
  double first_figures_seconds_ = 0;  // they take or took; other phases without a budget are expected to take as long
  double kept_seconds_ = 0;           // of the budget, for what comes after tuning
  double told_done_ = 0;              // how far the job was said to be
  std::set<std::pair<const Piece*, const DeviceTuner*>> confirming_tried_;
};

}  // namespace fuselab::engine
