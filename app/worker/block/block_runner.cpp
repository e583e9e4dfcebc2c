// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/block_runner.h"

#include <algorithm>
#include <cstdio>

#include "app/worker/block/block_ceiling.h"
#include "app/worker/block/conditions_meter.h"
#include "app/worker/block/error_outcome.h"
#include "app/worker/block/guarded.h"
#include "app/worker/block/scoped_time.h"
#include "core/backend/last_cache.h"
#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "core/measure/disturbance.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"
#include "core/reference/own_reference.h"

namespace fuselab::worker {
namespace {

using platform::monotonic_now;
using platform::WorkerPhase;

std::string slowdown_text(double slowdown) {
  char text[96];
  std::snprintf(text, sizeof text, "%.3g times as slow as the fastest so far after the first samples", slowdown);
  return text;
}

}  // namespace

BlockRunner::~BlockRunner() {
  slots_.clear();  // before the buffers they are bound to
}

BlockResult BlockRunner::run(const Block& block, bool special_inputs) {
  block_ = &block;
  special_inputs_ = special_inputs;
  slots_.resize(block.plans.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].plan = &block.plans[i];
    prepare(static_cast<int>(i));
  }
  if (special_inputs) try_special_inputs();
  if (!verified_.empty()) {
    measure();
    settle(verified_);
  }
  page_.set(-1, WorkerPhase::kIdle);
  for (Slot& slot : slots_) result_.plans.push_back(std::move(slot.result));
  return std::move(result_);
}

// Told before their kernels are unloaded: what those do at their end takes no result along.
void BlockRunner::settle(const std::vector<int>& plans) {
  wire::PlansFinished finished{plans, {}};
  for (const int index : plans) finished.results.push_back(slots_[static_cast<std::size_t>(index)].result);
  tell_(finished);
  for (const int index : plans) {
    page_.set(index, WorkerPhase::kPrepare);
    slots_[static_cast<std::size_t>(index)].prepared.reset();
  }
}

void BlockRunner::prepare(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  page_.set(index, WorkerPhase::kPrepare);
  double wall = 0;
  Status prepared;
  {
    const ScopedTime clock(wall);
    prepared = guarded([&] { return try_prepare(index); });
  }
  slot.result.overhead = {std::max(0.0, wall - slot.result.verifying.count)};
  if (prepared.ok()) {
    slot.result.outcome = Outcome::kMatched;
    verified_.push_back(index);
    return;
  }
  slot.result.outcome = outcome_of(prepared.error().code);
  slot.result.reason = prepared.error().message;
  settle({index});
}

Status BlockRunner::try_prepare(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (!slot.plan->graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  FL_TRY_VOID(check_memory(*slot.plan));
  SharedBuffers* shared = nullptr;
  {
    const ScopedTime clock(slot.result.verifying.count);
    page_.set(index, WorkerPhase::kVerify);
    FL_TRY(shared, shared_for(*slot.plan));
  }
  page_.set(index, WorkerPhase::kLoad);
  FL_TRY(slot.prepared, PreparedPlan::create(runtime_, *slot.plan, *shared, block_->protocol.inputs));
  if (slot.prepared->overwrites_inputs() && block_->protocol.mode == CacheMode::kCold)
    return Error{ErrorCode::kUnsupported,
                 "a kernel overwrites an input, which is put back before each run and then lies in the caches: no cold timings"};
  FL_TRY_VOID(first_launch(index));
  return verify(index);
}

// R102: says what is needed and what there is, before anything is allocated.
Status BlockRunner::check_memory(const Plan& plan) {
  FL_TRY(const BufferCycle cycle, cycle_for(plan));
  FL_TRY(Footprint footprint, footprint_of(plan.graph, cycle.sets()));
  FL_TRY(const Bytes scratch, scratch_of(plan));
  add_scratch(footprint, scratch, cycle.sets());
  if (shared_.count(graph_key(plan.graph).hex()) != 0) footprint.host = {0};  // inputs and reference are already there
  // Asking the system takes longer than many plans run: while what it last said is enough for all that came since, it is not asked.
  const std::int64_t buffers = runtime_.info().uses_host_memory() ? footprint.device.count : 0;
  const bool enough = footprint.host.count <= host_free_.count && buffers <= host_free_.count - footprint.host.count;
  if (!enough) host_free_ = platform::available_memory();
  FL_TRY_VOID(check_room(footprint));
  host_free_.count -= footprint.host.count + buffers;
  return {};
}

Status BlockRunner::check_room(const Footprint& footprint) const {
  DeviceInfo device = runtime_.info();
  if (device.uses_host_memory()) {
    device.unified_memory = true;
    device.free_memory_bytes = host_free_.count;
  } else if (footprint.host.count > host_free_.count) {
    return Error{ErrorCode::kUnavailable,
                 "needs " + format_bytes(footprint.host) + " beside the device, " + format_bytes(host_free_) + " free"};
  }
  const Support room = fits(footprint, device);
  if (!room.yes) return Error{ErrorCode::kUnavailable, room.why_not};
  return {};
}

Result<BufferCycle> BlockRunner::cycle_for(const Plan& plan) const {
  if (block_->protocol.mode != CacheMode::kRotating) return BufferCycle();
  FL_TRY(const Cost cost, cost_of(plan.graph));
  return BufferCycle::beyond(rotated_bytes(cost), {last_caches_bytes(runtime_.info())});
}

Result<SharedBuffers*> BlockRunner::shared_for(const Plan& plan) {
  const std::string key = graph_key(plan.graph).hex();
  if (const auto known = shared_.find(key); known != shared_.end()) return known->second.get();
  std::shared_ptr<const ReferenceCase> reference;
  const auto own = own_reference(plan.graph);
  const bool may_be_first = own.ok() && own.value() && own.value()->kernel.reference == kOwnDefault;  // see verify()
  if (plan.matched.empty() && !may_be_first) {
    FL_TRY(reference, references_.get(plan.graph, block_->protocol.inputs));
  } else {
    reference = references_.inputs_of(plan.graph, block_->protocol.inputs);
  }
  FL_TRY(const BufferCycle cycle, cycle_for(plan));
  FL_TRY(std::unique_ptr<SharedBuffers> made, share_buffers(runtime_, plan.graph, std::move(reference), cycle));
  return shared_.emplace(key, std::move(made)).first->second.get();
}

Status BlockRunner::first_launch(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const ScopedTime clock(slot.result.verifying.count);
  page_.set(index, WorkerPhase::kVerify);
  FL_TRY_VOID(slot.prepared->poison());
  page_.set(index, WorkerPhase::kLaunch);
  const double start = monotonic_now().count;
  const Status ran = slot.prepared->run_once();
  slot.result.first_launch = {monotonic_now().count - start};
  return ran;
}

Result<Timing> BlockRunner::time(int index, int repetitions) {
  PreparedPlan& plan = *slots_[static_cast<std::size_t>(index)].prepared;
  if (block_->protocol.mode == CacheMode::kFirstLaunch) {
    page_.set(index, WorkerPhase::kLoad);
    FL_TRY_VOID(plan.reload());
  }
  page_.set(index, WorkerPhase::kLaunch);
  Result<Timing> timing = Timing{};
  {
    const ScopedTime clock(slots_[static_cast<std::size_t>(index)].result.timing.count);
    timing = plan.time(repetitions);
  }
  page_.set(index, WorkerPhase::kPrepare);
  return timing;
}

MeasureCalls BlockRunner::measure_calls() {
  MeasureCalls calls;
  calls.time = [this](int series, int repetitions) { return time(verified_[static_cast<std::size_t>(series)], repetitions); };
  calls.flush = [this](int series) -> Status {
    const ScopedTime clock(slots_[static_cast<std::size_t>(verified_[static_cast<std::size_t>(series)])].result.timing.count);
    return cold_.flush();
  };
  calls.fitting = [this](int series, int repetitions) {
    const Slot& slot = slots_[static_cast<std::size_t>(verified_[static_cast<std::size_t>(series)])];
    return shared_.at(graph_key(slot.plan->graph).hex())->cycle.fitting(repetitions);
  };
  return calls;
}

bool BlockRunner::is_memory_bound() const {
  const std::int64_t cache = last_cache_bytes(runtime_.info());
  return std::any_of(verified_.begin(), verified_.end(), [&](int index) {
    const Result<Cost> cost = cost_of(slots_[static_cast<std::size_t>(index)].plan->graph);
    return cost.ok() && cache > 0 && !fits_cache(cost.value().ideal(), cache);
  });
}

void BlockRunner::measure() {
  MeasureCalls calls = measure_calls();
  double wall = 0;
  std::vector<SampleSeries> series;
  std::vector<double> timed_before(slots_.size(), 0);
  {
    const ScopedTime clock(wall);
    const auto ceiling = BlockCeiling::create(runtime_.info(), block_->ceiling);
    const int most_rounds = std::max(block_->protocol.samples, block_->protocol.most_samples);
    ConditionsMeter meter(runtime_, is_memory_bound() ? most_rounds + 1 : 0);
    calls.between_rounds = [&] {
      meter.look();
      if (!ceiling) return;
      const std::vector<int> active = timed_since(timed_before);
      if (!active.empty()) ceiling->look(timed_ns(), static_cast<int>(active.size()), [&] { warm_again(active); });
    };
    // It cannot be stopped from inside: the engine cancels by killing the worker.
    series = measure_interleaved(static_cast<int>(verified_.size()), block_->protocol, calls, {});
    result_.conditions = meter.take();
    result_.conditions.threads = most_threads(block_->plans, runtime_.info());
    if (ceiling) result_.conditions.ceiling = ceiling->take();
  }
  const double timing_ns = timed_ns() + result_.conditions.ceiling.seconds * 1e9;
  const double overhead_each = std::max(0.0, wall - timing_ns) / static_cast<double>(verified_.size());
  const std::string disturbance = disturbance_in(result_.conditions);
  for (std::size_t i = 0; i < verified_.size(); ++i) {
    slots_[static_cast<std::size_t>(verified_[i])].result.overhead.count += overhead_each;
    take_series(verified_[i], std::move(series[i]));
    if (block_->protocol.mode == CacheMode::kCold) note_cold(slots_[static_cast<std::size_t>(verified_[i])].result, cold_.state());
    if (block_->protocol.mode == CacheMode::kRotating) look_at_rotation(verified_[i]);
    note_disturbance(slots_[static_cast<std::size_t>(verified_[i])].result, disturbance);
  }
}

double BlockRunner::timed_ns() const {
  double sum = 0;
  for (const int index : verified_) sum += slots_[static_cast<std::size_t>(index)].result.timing.count;
  return sum;
}

// Returns the plans that were timed since these times were taken, and takes them anew: the others failed or are spent.
std::vector<int> BlockRunner::timed_since(std::vector<double>& before) const {
  std::vector<int> active;
  for (const int index : verified_) {
    const auto slot = static_cast<std::size_t>(index);
    if (slots_[slot].result.timing.count > before[slot]) active.push_back(index);
    before[slot] = slots_[slot].result.timing.count;
  }
  return active;
}

// Runs each plan once, untimed. One that fails here fails when it is timed, too.
void BlockRunner::warm_again(const std::vector<int>& plans) {
  if (block_->protocol.mode != CacheMode::kWarm) return;
  for (const int index : plans) {
    page_.set(index, WorkerPhase::kLaunch);
    static_cast<void>(slots_[static_cast<std::size_t>(index)].prepared->time(1));
    page_.set(index, WorkerPhase::kPrepare);
  }
}

// Notes the state in which a set's operands are read again after all the other sets were read.
void BlockRunner::look_at_rotation(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (slot.result.outcome != Outcome::kTimed || !cold_.is_visible()) return;
  const int others = shared_.at(graph_key(slot.plan->graph).hex())->cycle.sets() - 1;
  note_cold(slot.result, cold_.state_after([&] { return time(index, others); }));
}

void BlockRunner::take_series(int index, SampleSeries series) {
  PlanResult& result = slots_[static_cast<std::size_t>(index)].result;
  result.samples = std::move(series.samples);
  result.inner_repetitions = series.inner_repetitions;
  result.source = series.source;
  switch (series.end) {
    case SeriesEnd::kComplete:
    case SeriesEnd::kBudget: result.outcome = Outcome::kTimed; break;
    case SeriesEnd::kDropped:
      result.outcome = Outcome::kDropped;
      result.reason = slowdown_text(series.slowdown);
      break;
    case SeriesEnd::kFailed:
      result.outcome = outcome_of(series.error->code);
      result.reason = series.error->message;
      break;
    case SeriesEnd::kCancelled:
      result.outcome = Outcome::kCancelled;
      result.reason = "stopped while it was timed";
      break;
  }
}

}  // namespace fuselab::worker
