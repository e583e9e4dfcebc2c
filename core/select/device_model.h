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

// The place of a piece's data before and after it runs. Data on the device before saves one copy, data that may stay there saves
// the other (R174, corrected: the original needed both).
struct Residency {
  bool inputs_on_device = true;
  bool outputs_stay = true;
};

// Returns the time of handing over a piece's data, in time units rather than elements (R175, R180); nothing where the device has
// its own memory and its copies were not measured.
std::optional<Nanoseconds> transfer_time(const WorkloadCharacteristics& work, const SelectableDevice& device, Residency residency);

// The factor by which kernels exceed their bound, learned from measured pieces.
struct LearnedFactor {
  double factor = 1;  // time as a multiple of the bound: geometric mean
  double spread = 1;  // typical error of the factor, itself as a factor: e^(standard deviation of its logarithm)
  int pieces = 0;
  int devices = 0;  // number of other devices that it is borrowed from; 0: it is the device's own
};

// The expected time of a piece on one device and its parts.
struct ModelledTime {
  double ns = 0;                 // launch + factor × max(moving, computing) + transfer
  double launch_ns = 0;          // the device's launch floor
  bool launch_measured = false;  // false: the floor is the shortest time of any piece, which contains a launch
  double moving_ns = 0;          // compulsory bytes at the device's bandwidth at that size
  double computing_ns = 0;
  double transfer_ns = 0;
  LearnedFactor learned;  // of 0 pieces: nothing was measured anywhere, so the time is the bound itself
  bool memory_bound() const { return moving_ns >= computing_ns; }
  // Returns true when no piece was measured there, so that the factor is borrowed from other devices or missing.
  bool is_guess() const { return learned.pieces == 0 || learned.devices > 0; }
};
std::string model_text(
    const ModelledTime& time);  // "launch 2.1 µs + 340 µs for moving its bytes × 1.31 (as 12 measured pieces took)"

// A model of one device made of measured numbers only, in place of S4's minimum size, 12 GB/s and 50 µs (R173, R175-R179). The
// launch floor and the rates are its ceilings where these were measured, else the best that any of its pieces reached; the factor
// tells how far its kernels stay from that, by kind of operation. A value type, made in time linear in the pieces.
class DeviceModel {
 public:
  // The key `without` names a piece that is to be predicted and may not be learned from; empty: none.
  DeviceModel(const SelectableDevice& device, std::span<const MeasuredPiece> pieces, std::string_view without = {});

  // Returns nothing where neither ceilings nor pieces were measured, or data must be copied at a rate that was not measured. R177
  // needs no threshold per operation: each kind has its factor. `others` is used where no piece was measured on the device.
  std::optional<ModelledTime> time(const WorkloadCharacteristics& work, Residency residency = {}, LearnedFactor others = {}) const;
  // Returns the factor of this kind; nothing where no piece was measured.
  std::optional<LearnedFactor> learned(OperationType type) const;
  double launch_ns() const { return launch_ns_; }
  bool launch_measured() const { return launch_measured_; }

 private:
  struct Factor {
    double sum = 0, squares = 0;  // sums of logarithms
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

// Returns the factor of the other devices' pieces of this kind, each device counted once. Its spread is wider than any of theirs,
// since kernels of another device may differ more. It has 0 pieces where no other device has any.
LearnedFactor factor_of_others(std::span<const DeviceModel> models, const DeviceModel& without, OperationType type);

}  // namespace fuselab
