// SPDX-License-Identifier: Apache-2.0
#include "core/select/device_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/units.h"

namespace fuselab {
namespace {

constexpr int kEnoughPieces = 3;  // for a factor of a kind of its own
// A factor is wrong by this much where one or two pieces cannot say.
constexpr double kUnknownSpread = 2;
// An estimate is wrong by this much where no piece at all was measured: nobody knows how far kernels stay from their bound.
constexpr double kUnmeasuredSpread = 10;
// A piece that is nearly all launch says nothing of rates.
constexpr double kLeastShareOfWork = 0.2;

double rate_of(const CeilingTable& ceilings, std::string_view kind) {
  double best = 0;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind == kind) best = std::max(best, row.per_second);
  }
  return best;
}

}  // namespace

std::optional<Nanoseconds> transfer_time(const WorkloadCharacteristics& work, const SelectableDevice& device, Residency residency) {
  if (device.shares_host_memory) return Nanoseconds{0};
  double ns = 0;
  const auto copy = [&](bool needed, Bytes bytes, std::string_view kind) {
    if (!needed || bytes.count == 0) return true;
    const double rate = rate_of(device.ceilings, kind);
    if (rate > 0) ns += static_cast<double>(bytes.count) / rate * 1e9;
    return rate > 0;
  };
  const bool known = copy(!residency.inputs_on_device, work.read, "host-to-device") &&
                     copy(!residency.outputs_stay, work.written, "device-to-host");
  return known ? std::optional(Nanoseconds{ns}) : std::nullopt;
}

DeviceModel::DeviceModel(const SelectableDevice& device, std::span<const MeasuredPiece> pieces, std::string_view without)
    : device_(device) {
  const double launches = rate_of(device.ceilings, "launch");
  double floor = launches > 0 ? 1e9 / launches : std::numeric_limits<double>::infinity();
  launch_measured_ = launches > 0;
  measured_streams_ = rate_of(device.ceilings, "stream") > 0;
  measured_flops_ = rate_of(device.ceilings, "flops") > 0;
  const auto each = [&](const auto& learn) {
    for (const MeasuredPiece& piece : pieces) {
      const TimeOnDevice* const time = piece.key == without ? nullptr : time_on(piece, device.id);
      if (time != nullptr) learn(piece, time->ns);
    }
  };
  if (launches <= 0) each([&](const MeasuredPiece&, double ns) { floor = std::min(floor, ns); });
  launch_ns_ = std::isfinite(floor) ? floor : 0;
  each([&](const MeasuredPiece& piece, double ns) { learn_rates(piece, ns); });
  each([&](const MeasuredPiece& piece, double ns) { learn_factor(piece, ns); });
}

void DeviceModel::learn_rates(const MeasuredPiece& piece, double ns) {
  seen_bandwidth_ = std::max(seen_bandwidth_, static_cast<double>(piece.work.traffic().count) / ns * 1e9);
  seen_flops_ = std::max(seen_flops_, piece.work.flops / ns * 1e9);
}

void DeviceModel::learn_factor(const MeasuredPiece& piece, double ns) {
  const auto least = bound(piece.work);
  if (!least || ns - launch_ns_ < kLeastShareOfWork * ns) return;
  const double longest = std::max(least->moving_ns, least->computing_ns);
  if (longest <= 0) return;
  const double logarithm = std::log((ns - launch_ns_) / longest);
  for (Factor* const factor : {&by_type_[static_cast<std::size_t>(piece.work.primary)], &all_}) {
    factor->sum += logarithm;
    factor->squares += logarithm * logarithm;
    ++factor->count;
  }
}

std::optional<DeviceModel::Bound> DeviceModel::bound(const WorkloadCharacteristics& work) const {
  const double bandwidth = measured_streams_ ? device_.ceilings.nearest_bandwidth(1, 1, work.traffic()) : seen_bandwidth_;
  const double peak = measured_flops_ ? device_.ceilings.peak_flops(work.arithmetic) : seen_flops_;
  if (bandwidth <= 0 || (work.flops > 0 && peak <= 0)) return std::nullopt;
  // Fewer independent elements than units leave units idle (R178's thousand threads, as this device has them).
  const double busy = std::clamp(
      static_cast<double>(work.parallelism) / static_cast<double>(std::max<std::int64_t>(1, device_.compute_units)), 1e-6, 1.0);
  return Bound{static_cast<double>(work.traffic().count) / bandwidth * 1e9, work.flops > 0 ? work.flops / (peak * busy) * 1e9 : 0};
}

const DeviceModel::Factor& DeviceModel::factor_of(OperationType type) const {
  const Factor& own = by_type_[static_cast<std::size_t>(type)];
  return own.count >= kEnoughPieces ? own : all_;
}

std::optional<LearnedFactor> DeviceModel::learned(OperationType type) const {
  const Factor& seen = factor_of(type);
  if (seen.count == 0) return std::nullopt;
  const double mean = seen.sum / seen.count;
  const double variance = seen.count > 1 ? std::max(0.0, (seen.squares - seen.count * mean * mean) / (seen.count - 1)) : 0;
  const double spread = std::exp(std::sqrt(variance));
  return LearnedFactor{std::exp(mean), seen.count < kEnoughPieces ? std::max(spread, kUnknownSpread) : spread, seen.count, 0};
}

LearnedFactor factor_of_others(std::span<const DeviceModel> models, const DeviceModel& without, OperationType type) {
  LearnedFactor others;
  double sum = 0;
  for (const DeviceModel& model : models) {
    const auto learned = &model == &without ? std::nullopt : model.learned(type);
    if (!learned) continue;
    sum += std::log(learned->factor);
    others.spread = std::max(others.spread, learned->spread);
    others.pieces += learned->pieces;
    ++others.devices;
  }
  if (others.devices == 0) return {};
  others.factor = std::exp(sum / others.devices);
  others.spread *= kUnknownSpread;
  return others;
}

std::optional<ModelledTime> DeviceModel::time(const WorkloadCharacteristics& work, Residency residency,
                                              LearnedFactor others) const {
  const auto least = bound(work);
  const auto transfer = transfer_time(work, device_, residency);
  if (!least || !transfer) return std::nullopt;
  ModelledTime time;
  time.launch_ns = launch_ns_;
  time.launch_measured = launch_measured_;
  time.moving_ns = least->moving_ns;
  time.computing_ns = least->computing_ns;
  time.transfer_ns = transfer->count;
  time.learned = learned(work.primary).value_or(others);
  if (time.learned.pieces == 0) time.learned.spread = kUnmeasuredSpread;
  time.ns = time.launch_ns + time.learned.factor * std::max(time.moving_ns, time.computing_ns) + time.transfer_ns;
  return time;
}

std::string model_text(const ModelledTime& time) {
  const LearnedFactor& learned = time.learned;
  std::string text = "launch " + format_duration({time.launch_ns}) + (time.launch_measured ? "" : " at most") + " + " +
                     format_duration({std::max(time.moving_ns, time.computing_ns)}) +
                     (time.memory_bound() ? " for moving its bytes" : " for its arithmetic");
  char factor[160];
  const char* const plural = learned.pieces == 1 ? "" : "s";
  if (learned.devices > 0)
    std::snprintf(factor, sizeof factor, " × %.2f, as %d piece%s took elsewhere, give or take %.2fx: none was measured there",
                  learned.factor, learned.pieces, plural, learned.spread);
  else if (learned.pieces > 0)
    std::snprintf(factor, sizeof factor, " × %.2f, as %d measured piece%s took, give or take %.2fx", learned.factor, learned.pieces,
                  plural, learned.spread);
  else
    std::snprintf(factor, sizeof factor, ", the bound itself: no piece was measured there");
  text += factor;
  return time.transfer_ns > 0 ? text + ", + " + format_duration({time.transfer_ns}) + " for copying" : text;
}

}  // namespace fuselab
