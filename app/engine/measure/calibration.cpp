// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/calibration.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/engine/measure/roofline.h"
#include "core/backend/last_cache.h"
#include "core/measure/ceilings/shown_by_plans.h"
#include "core/measure/ceilings/thread_gain.h"

namespace fuselab::engine {
namespace {

constexpr double kSecondsPerMix = 0.25;
constexpr double kSecondsForLaunches = 0.05;
// A limit that lies this far from the one that binds may bind where the kernels of the block are timed.
constexpr double kMayBind = 0.4;

bool same_class(const Ceiling& row, int reads, int writes, Bytes footprint) {
  return row.kind == "stream" && row.read_streams == reads && row.write_streams == writes && row.footprint == footprint;
}

bool is_launch(const Ceiling& row) {
  return row.kind.rfind("launch", 0) == 0;
}

}  // namespace

Calibration::Calibration(JobContext& context, DeviceInfo device, std::string environment_key)
    : context_(context), device_(std::move(device)), environment_key_(std::move(environment_key)) {
  if (on_host() && !context_.host_ceilings) context_.host_ceilings = std::make_shared<ProcessorCeilings>();
  limits_ = on_host() ? context_.host_ceilings : std::make_shared<ProcessorCeilings>();
  const auto catalog = context_.queries.catalog();
  if (!catalog.ok()) return;
  for (const auto& [key, table] : catalog.value().ceilings) {
    if (key != environment_key_) continue;
    stored_rows_ = table.rows.size();
    for (const Ceiling& row : table.rows) {
      if (on_host() && is_launch(row)) {
        launches_.push_back(row);
        continue;
      }
      // Rows of before kernels had forms are no ceilings of the host's processor: another form may be faster.
      if (on_host() && row.form.empty()) continue;
      if (!limits_->table.contains(row)) limits_->table.rows.push_back(row);
    }
  }
}

// Returns whether a ceiling must be measured. Under --remeasure stored ones do not count: one that was once measured, or edited,
// too high would otherwise stay for ever.
bool Calibration::must_measure(int reads, int writes, Bytes footprint, bool known) const {
  return !known || (context_.spec.remeasure && limits_->touched.count({reads, writes, footprint.count}) == 0);
}

Bytes Calibration::working_set(const Cost& cost) const {
  return engine::working_set(cost, context_.spec.protocol.mode, last_caches_bytes(device_));
}

bool Calibration::judges(const Cost& cost) const {
  return context_.spec.protocol.mode != CacheMode::kRotating ||
         !fits_cache(footprint_class(working_set(cost)), last_caches_bytes(device_));
}

bool Calibration::knows_launches() const {
  return !launches_.empty() || std::any_of(table().rows.begin(), table().rows.end(), is_launch);
}

Status Calibration::cover(const Graph& graph, const Cost& cost) {
  if (unsupported_) return {};
  // A table from before launches were measured on the processor has rates and no launch.
  const bool rate_known = knows_launches() && table().peak_flops() > 0 && table().peak_flops(arithmetic_of(graph)) > 0;
  if (must_measure(0, 0, Bytes{}, rate_known) && !std::exchange(asked_for_flops_, true)) FL_TRY_VOID(measure_flops());
  const StreamMix mix = stream_mix(graph);
  const Bytes footprint = footprint_class(working_set(cost));
  const bool known = std::any_of(table().rows.begin(), table().rows.end(),
                                 [&](const Ceiling& row) { return same_class(row, mix.reads, mix.writes, footprint); });
  if (must_measure(mix.reads, mix.writes, footprint, known) && !unsupported_)
    FL_TRY_VOID(measure(mix.reads, mix.writes, footprint));
  // What another device of this processor measured is stored for this one, too.
  return table().rows.size() + launches_.size() == stored_rows_ ? Status() : store();
}

Result<bool> Calibration::measure_again(const Graph& graph, const Cost& cost, bool memory_bound) {
  if (unsupported_) return false;
  const StreamMix mix = memory_bound ? stream_mix(graph) : StreamMix{0, 0};
  const Bytes footprint = memory_bound ? footprint_class(working_set(cost)) : Bytes{};
  int& repeats = limits_->remeasurements[{mix.reads, mix.writes, footprint.count}];
  if (repeats == kMostRemeasurements) return false;
  ++repeats;
  FL_TRY_VOID(measure(mix.reads, mix.writes, footprint));
  return !unsupported_;
}

Status Calibration::raise(const Graph& graph, const Cost& cost, bool memory_bound, double seconds) {
  const StreamMix mix = memory_bound ? stream_mix(graph) : StreamMix{0, 0};
  Ceiling row;
  row.kind = memory_bound ? "stream" : arithmetic_kind(arithmetic_of(graph));
  row.read_streams = mix.reads;
  row.write_streams = mix.writes;
  if (memory_bound) row.footprint = footprint_class(working_set(cost));
  row.threads = static_cast<int>(device_.compute_units.value_or(1));
  row.per_second = row.low = row.high = (memory_bound ? static_cast<double>(cost.ideal().count) : cost.flops) / seconds;
  row.form = kShownByPlans;
  limits_->table.rows.push_back(std::move(row));
  return store();
}

CeilingSpec Calibration::beside(const Graph& graph, const Cost& cost, int threads) const {
  const CacheMode mode = context_.spec.protocol.mode;
  if (!on_host() || (mode != CacheMode::kWarm && mode != CacheMode::kRotating)) return {};
  const StreamMix mix = stream_mix(graph);
  const Bytes footprint = footprint_class(working_set(cost));
  const double bandwidth = table().bandwidth_of_class(mix.reads, mix.writes, footprint);
  const double peak = table().peak_flops(arithmetic_of(graph));
  const double memory = bandwidth > 0 ? static_cast<double>(cost.ideal().count) / bandwidth : 0;
  const double compute = peak > 0 ? cost.flops / peak : 0;
  CeilingSpec spec;
  spec.threads = threads;
  // Rows name a number of threads: a plan that leaves it open takes all.
  const int rows_of = threads > 0 ? threads : static_cast<int>(device_.compute_units.value_or(1));
  if (memory > kMayBind * compute) {
    spec.read_streams = mix.reads;
    spec.write_streams = mix.writes;
    spec.footprint = footprint;
    if (const Ceiling* const row = table().best_of("stream", mix.reads, mix.writes, footprint, rows_of))
      spec.stream_form = row->form;
  }
  if (compute > kMayBind * memory) {
    spec.arithmetic = arithmetic_kind(arithmetic_of(graph));
    if (const Ceiling* const row = table().best_of(spec.arithmetic, 0, 0, Bytes{}, rows_of)) spec.arithmetic_form = row->form;
  }
  return spec;
}

Status Calibration::measure(int reads, int writes, Bytes footprint) {
  wire::CeilingRequest request{device_.backend, device_.id, reads, writes, {}, kSecondsPerMix};
  if (footprint.count > 0) request.footprints.push_back(footprint);
  // The processor's rate is known from another of its devices: only this one's own launches are not.
  const bool rate_stands = table().peak_flops() > 0 && !must_measure(0, 0, Bytes{}, true);
  const bool only_launches = on_host() && footprint.count == 0 && rate_stands && limits_->remeasurements[{0, 0, 0}] == 0;
  if (only_launches) request.seconds = kSecondsForLaunches;
  const auto start = std::chrono::steady_clock::now();
  const double waited_before = context_.workers.waited_seconds();
  auto rows = context_.workers.ceilings(device_, request, context_.stop);
  const std::chrono::duration<double> waited(context_.workers.waited_seconds() - waited_before);
  spent_ += std::chrono::steady_clock::now() - start - waited;
  if (!rows.ok() && rows.error().code == ErrorCode::kUnsupported) {
    unsupported_ = true;
    return {};
  }
  if (!rows.ok()) return rows.error();
  // Other load may have had a processor meanwhile. Later figures then beat what was stored.
  const auto gain = thread_gain(rows.value());
  if (gain && gain->is_lost() && !only_launches && ++lost_threads_ <= kMostRemeasurements) return measure(reads, writes, footprint);
  std::vector<Ceiling>& known = limits_->table.rows;
  if (on_host()) {
    // The newest stand: an older one may have been edited, or measured beside other load.
    if (std::any_of(rows.value().begin(), rows.value().end(), is_launch)) launches_.clear();
    std::copy_if(rows.value().begin(), rows.value().end(), std::back_inserter(launches_), is_launch);
    std::erase_if(rows.value(), is_launch);
    if (only_launches) rows.value().clear();
  }
  if (limits_->touched.insert({reads, writes, footprint.count}).second && context_.spec.remeasure) {
    std::erase_if(known, [&](const Ceiling& row) {
      return footprint.count > 0 ? same_class(row, reads, writes, footprint) : row.kind != "stream";
    });
  }
  known.insert(known.end(), rows.value().begin(), rows.value().end());
  return store();
}

// A request without footprints asks for the arithmetic rate alone.
Status Calibration::measure_flops() {
  return measure(0, 0, Bytes{});
}

Status Calibration::store() {
  StoreBatch batch;
  CeilingTable stored = table();
  stored.rows.insert(stored.rows.end(), launches_.begin(), launches_.end());
  stored_rows_ = stored.rows.size();
  batch.ceilings.emplace_back(environment_key_, std::move(stored));
  return context_.store.commit(batch);
}

}  // namespace fuselab::engine
