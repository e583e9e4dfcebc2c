// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/views/snapshots.h"

namespace fuselab::engine {

// Returns the table's last rows: one total per device, then the best mix, in which each piece runs on the device and with the plan
// that is fastest for it, switching included. All sums are over the same pieces. A device's is completed with what the pieces
// without both figures there cost on the fastest other device that its data can be handed to. A total that still lacks a piece that
// another one has gets no sums. Devices that have every piece themselves come first, those without sums last.
std::vector<ModelTotal> model_totals(const CompareTable& table, const std::vector<ComparedDevice>& devices);

// Returns the time to hand a piece's inputs and outputs over between two devices: 0 where both work on the host's memory, nullopt
// where a transfer would be needed, since no transfer rate is measured yet.
std::optional<double> switching_ns(const DeviceInfo& from, const DeviceInfo& to, Bytes bytes);

// Returns a time of the model, with its interval, as a multiple of the best mix's among the totals; nothing while either is not
// known. The interval is as wide as the ends of all the mix's intervals allow together.
std::optional<Ratio> ratio_to_best_mix(double ns, const Interval& interval, const std::vector<ModelTotal>& totals);

// Sets each row's share of the sum of all rows, each with the recommended plan on its recommended device; leaves all at 0 while a
// row that runs anything was not measured.
void share_out(CompareTable& table);

}  // namespace fuselab::engine
