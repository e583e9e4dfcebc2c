// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/select/crossover_table.h"
#include "core/select/device_model.h"
#include "core/select/measured_piece.h"

namespace fuselab {

// What a decision rests on, best first.
enum class EstimateSource { kMeasured, kInterpolated, kRule };
std::string_view name_of(EstimateSource source);  // "measured", "between measured sizes", "rule"

// What one device would take.
struct DeviceEstimate {
  std::string device_id;
  EstimateSource source = EstimateSource::kRule;
  double ns = 0;
  double low = 0, high = 0;  // the measured interval; else what such estimates are wrong by, typically
  std::string numbers;       // what it rests on, in words
  bool is_guess = false;     // no piece was measured there: see ModelledTime::is_guess()
  std::size_t rank = 0;      // place in the automatic order, which breaks ties of measurements (R182)
};

struct Selection {
  std::optional<std::size_t> chosen;       // of `estimates`; nothing where nothing is known of any device
  std::vector<DeviceEstimate> estimates;   // one per device that anything is known of, fastest first
  std::optional<DeviceEstimate> withheld;  // the fastest of those that lose NaN, which nobody accepted: never chosen
  std::string reason;                      // names the source and the measured numbers
};

// What is asked.
struct SelectionQuery {
  std::string key;        // of the piece with its extents
  std::string signature;  // piece_signature()
  WorkloadCharacteristics work;
};
SelectionQuery query_of(const MeasuredPiece& piece);

// Which device should run a piece (R173-R182 with their defects corrected): where the piece was measured the measurement, between
// two measured sizes of its signature the line between them, else the device's rule. An estimate never beats a measurement by less
// than what such estimates are wrong by. A device is compared by all that is known of it, so that a decision may rest on two
// sources; it names both. An immutable snapshot: decisions may be taken by many threads, each in well under a millisecond.
class Selector {
 public:
  Selector(std::vector<SelectableDevice> devices, std::vector<MeasuredPiece> pieces);
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  Selection select(const SelectionQuery& query, Residency residency = {}) const;
  // As if the piece of this key had not been measured anywhere, nor anything learned from it: for judging the selector. Linear in
  // the pieces.
  Selection select_without(const SelectionQuery& query) const;

  const std::vector<MeasuredPiece>& pieces() const { return pieces_; }
  const std::vector<SelectableDevice>& devices() const { return devices_; }
  const CrossoverTable& crossovers() const { return crossovers_; }
  // The floor that each launch pays, as it was measured; nothing for an unknown device or where it was not.
  std::optional<double> launch_ns(const std::string& device_id) const;

 private:
  // What was learned of the pieces. Holds views.
  struct Learned {
    const std::vector<DeviceModel>& models;
    const std::vector<double>& spreads;
    std::string_view without = {};  // the key of the piece that it was not learned from; empty: it was from all
  };
  // How far the measured sizes of a signature lie from the lines between their neighbours.
  struct LineErrors {
    double squares = 0;  // of logarithms
    int count = 0;
  };
  Selection decide(const SelectionQuery& query, Residency residency, const Learned& learned) const;
  std::optional<DeviceEstimate> estimate(std::size_t device, const SelectionQuery& query, Residency residency,
                                         const Learned& learned) const;
  LineErrors line_errors(const CrossoverSeries& series, const std::string& device_id, std::string_view without) const;
  std::vector<double> spreads_without(const CrossoverSeries* series, std::string_view key) const;

  std::vector<SelectableDevice> devices_;
  std::vector<MeasuredPiece> pieces_;
  std::unordered_map<std::string, std::size_t> by_key_;
  CrossoverTable crossovers_;
  std::vector<DeviceModel> models_;
  std::vector<std::vector<LineErrors>> line_errors_;  // per device, by series of the table
  std::vector<double> spreads_;                       // per device: what interpolating is wrong by, as a factor
};

}  // namespace fuselab
