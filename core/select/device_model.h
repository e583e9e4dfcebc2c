// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/select/measured_piece.h"

namespace fuselab {

// Where a piece's data is before and after. Each saves its own copy and nothing else (R174, whose origin needed both, and then
// asked nothing more).
struct Residency {
  bool inputs_on_device = true;
  bool outputs_stay = true;
};

// Seconds, not elements: what handing a piece's data over takes (R175, R180). Nothing where the copies of a device of its own
// memory were not measured.
std::optional<Nanoseconds> transfer_time(const WorkloadCharacteristics& work, const SelectableDevice& device, Residency residency);

// How far kernels stay from their bound, as measured pieces tell.
struct LearnedFactor {
  double factor = 1;  // how much longer than the bound they took: geometric mean
  double spread = 1;  // what that is wrong by, typically, as a factor: e^(standard deviation of its logarithm)
  int pieces = 0;
  int devices = 0;  // other ones that it is borrowed from; 0: it is the device's own
};

// What one device is expected to take, and of what.
struct ModelledTime {
  double ns = 0;                 // launch + factor × max(moving, computing) + transfer
  double launch_ns = 0;          // the device's floor
  bool launch_measured = false;  // else it is the shortest time of any piece, which a launch is part of
  double moving_ns = 0;          // compulsory bytes at the device's bandwidth at that size
  double computing_ns = 0;
  double transfer_ns = 0;
  LearnedFactor learned;  // of no pieces: nothing was measured anywhere, the bound itself
  bool memory_bound() const { return moving_ns >= computing_ns; }
  // No piece was measured there: how far its kernels stay from the bound is others' word or nobody's.
  bool is_guess() const { return learned.pieces == 0 || learned.devices > 0; }
};
std::string model_text(
    const ModelledTime& time);  // "launch 2.1 µs + 340 µs for moving its bytes × 1.31 (as 12 measured pieces took)"

// A rule with measured numbers only: S4's minimum size, 12 GB/s and 50 µs (R173, R175-R179) as this device has them. The launch
// floor and the rates are its ceilings where these were measured, else the best that any of its pieces reached; the factor says how
// far its kernels stay from that, by kind of operation. A value; made in time linear in the pieces.
class DeviceModel {
 public:
  // `without`: the key of a piece that is to be predicted and may not be learned from; empty: none.
  DeviceModel(const SelectableDevice& device, std::span<const MeasuredPiece> pieces, std::string_view without = {});

  // Nothing where neither ceilings nor pieces were measured, or data must be copied whose rate was not. R177 needs no threshold per
  // operation: each kind has its factor.
  // `others`: what is taken where no piece was measured there.
  std::optional<ModelledTime> time(const WorkloadCharacteristics& work, Residency residency = {}, LearnedFactor others = {}) const;
  // Nothing where no piece was measured.
  std::optional<LearnedFactor> learned(OperationType type) const;
  double launch_ns() const { return launch_ns_; }
  bool launch_measured() const { return launch_measured_; }

 private:
  struct Factor {
    double sum = 0, squares = 0;  // of logarithms
    int count = 0;
  };
  struct Bound {
    double moving_ns = 0, computing_ns = 0;
  };
  std::optional<Bound> bound(const WorkloadCharacteristics& work) const;
  void learn_rates(const MeasuredPiece& piece, double ns);
  void learn_factor(const MeasuredPiece& piece, double ns);
  const Factor& factor_of(OperationType type) const;

  const SelectableDevice& device_;
  double launch_ns_ = 0;
  bool launch_measured_ = false, measured_streams_ = false, measured_flops_ = false;
  double seen_bandwidth_ = 0, seen_flops_ = 0;  // per second: the best that any piece reached
  std::array<Factor, 5> by_type_;
  Factor all_;
};

// What the other devices' pieces of this kind say, each device once, and wider than any of theirs: another device's kernels are
// another matter. Of no pieces where no other has any.
LearnedFactor factor_of_others(std::span<const DeviceModel> models, const DeviceModel& without, OperationType type);

}  // namespace fuselab
