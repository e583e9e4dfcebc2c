// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/select/measured_piece.h"

namespace fuselab {

// A time between two measured sizes of the same signature on one device, interpolated linearly in the logarithms of size and time.
struct Interpolated {
  double ns = 0;
  double below_size = 0, below_ns = 0;  // the measured neighbours
  double above_size = 0, above_ns = 0;
};

// A change of the fastest device between two neighbouring sizes that were measured on both devices. Sizes at which two devices are
// equal within noise are skipped: they show no change.
struct Crossover {
  std::string from, to;  // device ids: faster below, faster above
  double size = 0;       // where their lines cross
};

// All measured pieces of one signature, by size.
struct CrossoverSeries {
  std::string signature;
  std::vector<const MeasuredPiece*> pieces;  // ascending work_size(); equal sizes keep their order
  std::vector<Crossover> crossovers;
  // Devices whose plans are withheld here, and why. It holds at every size, since the operators are the same.
  std::map<std::string, Drawbacks> withheld;
};

// The measured pieces by signature and size, which tell the fastest device at each size and times between sizes. Holds views: the
// pieces must outlive it. Lookups are logarithmic in the sizes of one signature.
class CrossoverTable {
 public:
  explicit CrossoverTable(std::span<const MeasuredPiece> pieces);

  // Returns all series in order of first appearance.
  const std::vector<CrossoverSeries>& series() const { return series_; }
  // Returns the series of a signature, or null where no piece has it.
  const CrossoverSeries* find(std::string_view signature) const;
  // Returns nothing outside the measured sizes, or where the neighbours are more than kWidestGap apart. The keys `without` and
  // `nor` count as not measured.
  std::optional<Interpolated> interpolate(std::string_view signature, const std::string& device_id, double size,
                                          std::string_view without = {}, std::string_view nor = {}) const;
  // Returns the drawbacks for which the device's plan for this signature, once measured, may not be chosen; none: it may. The key
  // `without` counts as not measured; with one the call takes time linear in the signature's sizes.
  Drawbacks withheld_for(std::string_view signature, const std::string& device_id, std::string_view without = {}) const;
  static constexpr double kWidestGap = 64;  // ratio of the larger size to the smaller

 private:
  std::vector<CrossoverSeries> series_;
  std::unordered_map<std::string, std::size_t> by_signature_;
};

}  // namespace fuselab
