// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/engine/compare/compare_builder.h"
#include "app/engine/job/engine.h"
#include "core/select/recommendations.h"
#include "core/select/selector.h"

// From what is stored to a selector: a snapshot that decides without the store.
namespace fuselab::engine {

// The pieces of these tables that have a figure, each once, with the time of each device in the plan that it would run (see
// choose_device()). Of equal pieces in several tables the first counts.
std::vector<MeasuredPiece> measured_pieces(const std::vector<CompareTable>& tables);

SelectableDevice selectable(const ComparedDevice& device);

// What a selector is asked of a row; kUnsupported for a row that runs nothing.
Result<SelectionQuery> query_of(const CompareRow& row);

// Everything that is stored for these devices (`spec.devices`) and still current, of all models, extents and element types, or of
// those that the spec names. Linear in what is stored; decisions are taken from the result alone.
Result<std::unique_ptr<Selector>> selector_of(Engine& engine, CompareSpec spec);

// R181 for a row on the device that was chosen for it: with its figure, else with the selector's estimate.
std::vector<Recommendation> recommendations_for(const CompareRow& row, const std::string& device_id, double ns,
                                                const Selector& selector);

}  // namespace fuselab::engine
