// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/calibration.h"

#include <algorithm>
#include <utility>

#include "app/engine/measure/roofline.h"
#include "core/backend/last_cache.h"

namespace fuselab::engine {
namespace {

constexpr double kSecondsPerMix = 0.25;

bool same_class(const Ceiling& row, int reads, int writes, Bytes footprint) {
  return row.kind == "stream" && row.read_streams == reads && row.write_streams == writes && row.footprint == footprint;
}

}  // namespace

Calibration::Calibration(JobContext& context, DeviceInfo device, std::string environment_key)
    : context_(context), device_(std::move(device)), environment_key_(std::move(environment_key)) {
  const auto catalog = context_.queries.catalog();
  if (!catalog.ok()) return;
  for (const auto& [key, table] : catalog.value().ceilings) {
    if (key == environment_key_) table_ = table;
  }
}

// Returns whether a ceiling must be measured. Under --remeasure stored ones do not count: one that was once measured, or edited,
// too high would otherwise stay for ever.
bool Calibration::must_measure(int reads, int writes, Bytes footprint, bool known) const {
  return !known || (context_.spec.remeasure && touched_.count({reads, writes, footprint.count}) == 0);
}

Bytes Calibration::working_set(const Cost& cost) const {
  return engine::working_set(cost, context_.spec.protocol.mode, last_caches_bytes(device_));
}

bool Calibration::judges(const Cost& cost) const {
  return context_.spec.protocol.mode != CacheMode::kRotating ||
         !fits_cache(footprint_class(working_set(cost)), last_caches_bytes(device_));
}

Status Calibration::cover(const Graph& graph, const Cost& cost) {
  if (unsupported_) return {};
  // A table from before launches were measured on the processor has rates and no launch.
  const bool launch_known =
      std::any_of(table_.rows.begin(), table_.rows.end(), [](const Ceiling& row) { return row.kind == "launch"; });
  const bool rate_known = launch_known && table_.peak_flops() > 0 && table_.peak_flops(arithmetic_of(graph)) > 0;
  if (must_measure(0, 0, Bytes{}, rate_known) && !std::exchange(asked_for_flops_, true)) FL_TRY_VOID(measure_flops());
  const StreamMix mix = stream_mix(graph);
  const Bytes footprint = footprint_class(working_set(cost));
  const bool known = std::any_of(table_.rows.begin(), table_.rows.end(),
                                 [&](const Ceiling& row) { return same_class(row, mix.reads, mix.writes, footprint); });
  return !must_measure(mix.reads, mix.writes, footprint, known) || unsupported_ ? Status()
                                                                                : measure(mix.reads, mix.writes, footprint);
}

Result<bool> Calibration::measure_again(const Graph& graph, const Cost& cost, bool memory_bound) {
  if (unsupported_) return false;
  const StreamMix mix = memory_bound ? stream_mix(graph) : StreamMix{0, 0};
  const Bytes footprint = memory_bound ? footprint_class(working_set(cost)) : Bytes{};
  int& repeats = remeasurements_[{mix.reads, mix.writes, footprint.count}];
  if (repeats == kMostRemeasurements) return false;
  ++repeats;
  FL_TRY_VOID(measure(mix.reads, mix.writes, footprint));
  return !unsupported_;
}

Status Calibration::measure(int reads, int writes, Bytes footprint) {
  wire::CeilingRequest request{device_.backend, device_.id, reads, writes, {}, kSecondsPerMix};
  if (footprint.count > 0) request.footprints.push_back(footprint);
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
  if (touched_.insert({reads, writes, footprint.count}).second && context_.spec.remeasure) {
    std::erase_if(table_.rows, [&](const Ceiling& row) {
      return footprint.count > 0 ? same_class(row, reads, writes, footprint) : row.kind != "stream";
    });
  }
  table_.rows.insert(table_.rows.end(), rows.value().begin(), rows.value().end());
  return store();
}

// A request without footprints asks for the arithmetic rate alone.
Status Calibration::measure_flops() {
  return measure(0, 0, Bytes{});
}

Status Calibration::store() {
  StoreBatch batch;
  batch.ceilings.emplace_back(environment_key_, table_);
  return context_.store.commit(batch);
}

}  // namespace fuselab::engine
