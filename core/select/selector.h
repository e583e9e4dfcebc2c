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

// The basis of an estimate, best first.
enum class EstimateSource { kMeasured, kInterpolated, kRule };
std::string_view name_of(EstimateSource source);  // "measured", "between measured sizes", "rule"

// The estimated time of one device.
struct DeviceEstimate {
  std::string device_id;
  EstimateSource source = EstimateSource::kRule;
  double ns = 0;
  double low = 0, high = 0;  // the measured interval; else the typical error of such estimates
  std::string numbers;       // the numbers behind it, in words
  bool is_guess = false;     // no piece was measured there: see ModelledTime::is_guess()
  Drawbacks drawbacks = {};  // for which it is withheld
  std::size_t rank = 0;      // by preference, then by the automatic order: breaks ties of measurements (R182)
};

struct Selection {
  std::optional<std::size_t> chosen;       // index into `estimates`; nothing where no device has an estimate
  std::vector<DeviceEstimate> estimates;   // one per device with an estimate, fastest first
  std::optional<DeviceEstimate> withheld;  // the fastest of those with a drawback that was not accepted; never chosen
  std::string reason;                      // names the source and the measured numbers
};

// The piece to choose a device for.
struct SelectionQuery {
  std::string key;        // key of the piece with its extents
  std::string signature;  // piece_signature()
  WorkloadCharacteristics work;
};
SelectionQuery query_of(const MeasuredPiece& piece);

// Chooses the device for a piece (R173-R182 with their defects corrected): where the piece was measured by the measurement, between
// two measured sizes of its signature by the line between them, else by the device's rule. An estimate only beats a measurement by
// more than the typical error of such estimates. Each device is compared by the best that is known of it, so a decision may rest on
// two sources; it names both. An immutable snapshot: many threads may take decisions, each in well under a millisecond.
class Selector {
 public:
  Selector(std::vector<SelectableDevice> devices, std::vector<MeasuredPiece> pieces);
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  Selection select(const SelectionQuery& query, Residency residency = {}) const;
  // Chooses as if the piece of this key had not been measured anywhere and nothing had been learned from it, for judging the
  // selector. Linear in the pieces.
  Selection select_without(const SelectionQuery& query) const;

  const std::vector<MeasuredPiece>& pieces() const { return pieces_; }
  const std::vector<SelectableDevice>& devices() const { return devices_; }
  const CrossoverTable& crossovers() const { return crossovers_; }
  // Returns the measured floor of each launch; nothing for an unknown device or where it was not measured.
  std::optional<double> launch_ns(const std::string& device_id) const;

 private:
  // The models learned from the pieces. Holds views.
  struct Learned {
    const std::vector<DeviceModel>& models;
    const std::vector<double>& spreads;
    std::string_view without = {};  // key of the piece that was left out; empty: none was
  };
  // The distances of the measured sizes of a signature from the lines between their neighbours.
  struct LineErrors {
    double squares = 0;  // sum of squared logarithms
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
  std::vector<std::vector<LineErrors>> line_errors_;  // by device and series of the table
  std::vector<double> spreads_;                       // by device: the typical error of interpolating, as a factor
};

}  // namespace fuselab
