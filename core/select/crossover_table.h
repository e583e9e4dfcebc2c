// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/select/measured_piece.h"

namespace fuselab {

// A time between two measured sizes of the same signature on one device: straight between them in the logarithms of size and time.
struct Interpolated {
  double ns = 0;
  double below_size = 0, below_ns = 0;  // the measured neighbours
  double above_size = 0, above_ns = 0;
};

// Where the fastest device changes between two neighbouring sizes, as far as both were measured on both devices. Sizes at which two
// devices are equal within noise are passed over: they show no change.
struct Crossover {
  std::string from, to;  // device ids: faster below, faster above
  double size = 0;       // where their lines cross
};

// Everything measured of one signature, by size.
struct CrossoverSeries {
  std::string signature;
  std::vector<const MeasuredPiece*> pieces;  // ascending work_size(); equal sizes keep their order
  std::vector<Crossover> crossovers;
  std::vector<std::string> withheld;  // devices that lose NaN here, at whatever size: the same operators stand at all of them
};

// The measured pieces by signature and size: which device is fastest where, and what lies between. Holds views: the pieces outlive
// it. Lookups are logarithmic in the sizes of one signature.
class CrossoverTable {
 public:
  explicit CrossoverTable(std::span<const MeasuredPiece> pieces);

  // In order of first appearance.
  const std::vector<CrossoverSeries>& series() const { return series_; }
  // Null where no piece has this signature.
  const CrossoverSeries* find(std::string_view signature) const;
  // Nothing outside the measured sizes, or where its neighbours are more than kWidestGap apart. `without` and `nor`: keys that
  // count as not measured.
  std::optional<Interpolated> interpolate(std::string_view signature, const std::string& device_id, double size,
                                          std::string_view without = {}, std::string_view nor = {}) const;
  // Whether the device's plan for this signature is measured and may not be chosen: see TimeOnDevice::nan_loss. `without`: a key
  // that counts as not measured; with one it takes time linear in the signature's sizes.
  bool is_withheld(std::string_view signature, std::string_view device_id, std::string_view without = {}) const;
  static constexpr double kWidestGap = 64;  // times as large

 private:
  std::vector<CrossoverSeries> series_;
  std::unordered_map<std::string, std::size_t> by_signature_;
};

}  // namespace fuselab
