// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/views/snapshots.h"

namespace fuselab::engine {

// The figure of one operator of a piece, measured alone on one device.
struct OperatorFigure {
  std::string device_id;
  Figure figure;
};

// Returns, for each operator of the piece in order of execution, its best figure on every device that has one. Empty where there is
// only one device, since then there is nothing to mix.
Result<std::vector<std::vector<OperatorFigure>>> operator_figures(const Piece& piece, const std::vector<ComparedDevice>& devices,
                                                                  const Protocol& protocol, EvidenceReader& evidence,
                                                                  Accepted accepted);

// Returns the fastest of the row's measured unfused plans that may be chosen, or a mix of devices where the operators measured
// alone add up to less.
BestUnfused best_unfused(const CompareRow& row, const std::vector<std::vector<OperatorFigure>>& operators);

}  // namespace fuselab::engine
