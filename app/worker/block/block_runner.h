// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/wire/messages.h"
#include "app/worker/block/cold_flush.h"
#include "app/worker/block/prepared_plan.h"
#include "app/worker/block/special_check.h"
#include "app/worker/reference/reference_cache.h"
#include "core/backend/device_runtime.h"
#include "core/backend/footprint.h"
#include "core/measure/conditions.h"
#include "core/measure/loop/measure_loop.h"
#include "core/measure/plan.h"
#include "core/platform/processes/shared_page.h"

namespace fuselab::worker {

struct BlockResult {
  std::vector<PlanResult> plans;  // one per plan, in order
  BlockConditions conditions;     // while timing; a disturbance that they show is noted in the timed plans' reasons
};

// Runs one block: every plan is bound, launched once and verified; those that passed are timed interleaved. Any failure is the
// outcome of that plan. The shared page always names the plan in progress, so that a crash is blamed on it; results are reported as
// they are known, outside timed regions. Used for one block by one thread.
class BlockRunner {
 public:
  using Tell = std::function<void(const wire::Reply&)>;

  BlockRunner(DeviceRuntime& runtime, ReferenceCache& references, platform::SharedPage& page, Tell tell)
      : runtime_(runtime), references_(references), page_(page), tell_(std::move(tell)), cold_(runtime) {}
  ~BlockRunner();

  // `special_inputs`: plans are verified with large, special and denormal inputs as well before anything is timed.
  BlockResult run(const Block& block, bool special_inputs = false);

 private:
  struct Slot {
    const Plan* plan = nullptr;
    std::unique_ptr<PreparedPlan> prepared;
    PlanResult result;
  };

  void prepare(int index);
  Status try_prepare(int index);
  Status check_memory(const Plan& plan);
  Status check_room(const Footprint& footprint) const;
  Result<SharedBuffers*> shared_for(const Plan& plan);
  Result<BufferCycle> cycle_for(const Plan& plan) const;
  Status first_launch(int index);
  Status verify(int index);
  // Takes what a kernel gives in its default configuration as its reference, where it has no other.
  Result<std::shared_ptr<const ReferenceCase>> adopt_default(int index);
  Result<std::string> name_outputs(int index);
  bool matches_again(int index, const std::string& outputs);
  Status verify_other_sets(int index);
  Result<Verification> judge(int index, int set);
  void try_special_inputs();
  void try_special_inputs(SharedBuffers& shared, std::vector<int> plans);
  Status run_special(int index, const SpecialCheck& check, InputPattern pattern);
  void reject(int index, const Error& error);
  void measure();
  MeasureCalls measure_calls();
  bool is_memory_bound() const;
  double timed_ns() const;  // of all plans so far
  std::vector<int> timed_since(std::vector<double>& before) const;
  void warm_again(const std::vector<int>& plans);
  void settle(const std::vector<int>& plans);
  Result<Timing> time(int index, int repetitions);
  void look_at_rotation(int index);
  void take_series(int index, SampleSeries series);

  DeviceRuntime& runtime_;
  ReferenceCache& references_;
  platform::SharedPage& page_;
  Tell tell_;
  ColdFlush cold_;

  const Block* block_ = nullptr;
  bool special_inputs_ = false;
  std::map<std::string, std::unique_ptr<SharedBuffers>> shared_;  // by graph key; outlives the plans bound to it
  std::vector<Slot> slots_;
  std::vector<int> verified_;  // indices of the plans that go into the timed loop
  Bytes host_free_;            // as the system last reported, less what the plans since then may take
  BlockResult result_;
};

}  // namespace fuselab::worker
