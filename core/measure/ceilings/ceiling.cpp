// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/ceiling.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <tuple>

#include "core/cost/integer_product.h"
#include "core/measure/ceilings/shown_by_plans.h"

namespace fuselab {
namespace {

constexpr std::int64_t kPage = 4096;

double read_share(int reads, int writes) {
  return reads + writes > 0 ? static_cast<double>(reads) / (reads + writes) : 0.5;
}

// Orders rows by how far they are from what is asked: the mix first (its read share, then the number of streams), then the
// footprint by ratio. A ratio keeps both on the same side of a cache's edge: 60 MiB is near 64 MiB and far from 4 MiB. Of two
// footprints equally near, the larger one is taken: it does not flatter the hardware.
using Distance = std::tuple<double, int, double, std::int64_t>;

Distance distance_of(const Ceiling& row, int reads, int writes, Bytes footprint) {
  const double mix = std::fabs(read_share(row.read_streams, row.write_streams) - read_share(reads, writes));
  const int streams = std::abs(row.read_streams + row.write_streams - reads - writes);
  const double asked = std::log2(static_cast<double>(std::max<std::int64_t>(footprint.count, 1)));
  const double measured = std::log2(static_cast<double>(std::max<std::int64_t>(row.footprint.count, 1)));
  return {mix, streams, std::fabs(asked - measured), -row.footprint.count};
}

}  // namespace

double CeilingTable::bandwidth_of_class(int read_streams, int write_streams, Bytes footprint) const {
  double best = 0;
  for (const Ceiling& row : rows) {
    const bool same = row.kind == "stream" && row.read_streams == read_streams && row.write_streams == write_streams;
    if (same && row.footprint == footprint) best = std::max(best, row.per_second);
  }
  return best;
}

bool CeilingTable::contains(const Ceiling& row) const {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

const Ceiling* CeilingTable::best_of(const std::string& kind, int read_streams, int write_streams, Bytes footprint,
                                     int threads) const {
  const Ceiling* best = nullptr;
  for (const Ceiling& row : rows) {
    const bool same = row.kind == kind && row.read_streams == read_streams && row.write_streams == write_streams &&
                      row.footprint == footprint && row.threads == threads && row.form != kShownByPlans;
    if (same && (best == nullptr || row.per_second > best->per_second)) best = &row;
  }
  return best;
}

double CeilingTable::nearest_bandwidth(int read_streams, int write_streams, Bytes footprint) const {
  double best = 0;
  Distance nearest;
  for (const Ceiling& row : rows) {
    if (row.kind != "stream" || row.per_second <= 0) continue;
    const Distance distance = distance_of(row, read_streams, write_streams, footprint);
    if (best == 0 || distance < nearest) {
      nearest = distance;
      best = row.per_second;
    } else if (distance == nearest) {
      best = std::max(best, row.per_second);
    }
  }
  return best;
}

DType arithmetic_of(const Graph& graph) {
  int contractions = 0, of_bytes = 0, of_halves = 0;
  for (const Node& node : graph.nodes()) {
    if (info_of(node.op).access != AccessPattern::kContraction) continue;
    ++contractions;
    of_bytes += integer_product_of(graph, node) ? 1 : 0;
    const DType type = graph.type(node.inputs.front()).dtype;
    of_halves += type == DType::kF16 || type == DType::kBF16 ? 1 : 0;
  }
  if (of_bytes > 0 && of_bytes == contractions) return DType::kI8;
  if (of_halves > 0 && of_halves == contractions) return DType::kBF16;
  const bool wide =
      std::any_of(graph.values().begin(), graph.values().end(), [](const Value& value) { return value.type.dtype == DType::kF64; });
  return wide ? DType::kF64 : DType::kF32;
}

Bytes footprint_class(Bytes footprint) {
  const double octaves = std::log2(static_cast<double>(std::max<std::int64_t>(footprint.count, 1)));
  const double half_octave = std::clamp(std::floor(2 * octaves) / 2, 12.0, 28.0);
  return {static_cast<std::int64_t>(std::exp2(half_octave) / kPage) * kPage};
}

std::string arithmetic_kind(DType arithmetic) {
  switch (arithmetic) {
    case DType::kF64: return "flops-f64";
    case DType::kF16:
    case DType::kBF16: return "flops-half";
    case DType::kI8: return "";
    default: return "flops";
  }
}

double CeilingTable::peak_flops(DType arithmetic) const {
  const std::string kind = arithmetic_kind(arithmetic);
  double peak = 0;
  bool any = false;
  for (const Ceiling& row : rows) {
    if (row.kind == kind) peak = std::max(peak, row.per_second);
    any = any || (row.kind == "flops" && row.per_second > 0);
  }
  const bool may_be_faster = arithmetic == DType::kI8 || kind == "flops-half";
  return peak == 0 && any && may_be_faster ? std::numeric_limits<double>::infinity() : peak;
}

SpeedOfLight speed_of_light(const Cost& cost, Bytes working_set, int read_streams, int write_streams, const CeilingTable& ceilings,
                            Nanoseconds measured, DType arithmetic) {
  const double bandwidth = ceilings.bandwidth_of_class(read_streams, write_streams, footprint_class(working_set));
  if (bandwidth <= 0 && cost.ideal().count > 0) return {};
  const double peak = ceilings.peak_flops(arithmetic);
  // The rate of such units is not known, and memory's bound alone would promise too much where arithmetic may bind.
  const bool may_compute_longer =
      bandwidth > 0 && cost.flops / ceilings.peak_flops() > static_cast<double>(cost.ideal().count) / bandwidth;
  if (arithmetic == DType::kBF16 && std::isinf(peak) && may_compute_longer) return {};
  const double memory_ns = bandwidth > 0 ? static_cast<double>(cost.ideal().count) / bandwidth * 1e9 : 0;
  const double compute_ns = peak > 0 ? cost.flops / peak * 1e9 : 0;
  SpeedOfLight light;
  light.ideal = {std::max(memory_ns, compute_ns)};
  light.memory_bound = memory_ns >= compute_ns;
  light.share = measured.count > 0 ? light.ideal.count / measured.count : 0;
  return light;
}

Cost least_cost(Cost cost, Drawbacks stated) {
  if (stated.has(Drawback::kWinogradError)) cost.flops /= 4;
  return cost;
}

}  // namespace fuselab
