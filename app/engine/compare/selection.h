// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/job/engine.h"
#include "core/select/recommendations.h"
#include "core/select/selector.h"

// Builds a selector from what is stored: a snapshot that decides without the store.
namespace fuselab::engine {

// Returns the pieces of these tables that have a figure, each once, with the time on each device of the plan that it would run
// there (see choose_device()). Of equal pieces in several tables the first counts.
std::vector<MeasuredPiece> measured_pieces(const std::vector<CompareTable>& tables);

SelectableDevice selectable(const ComparedDevice& device);

// Returns the question that a row puts to a selector. Fails with kUnsupported for a row that runs nothing.
Result<SelectionQuery> query_of(const CompareRow& row);

// Returns a selector over everything that is stored for these devices (`spec.devices`) and still current: all models, extents and
// element types, or those that the spec names. Linear in what is stored; the selector decides from that snapshot alone.
Result<std::unique_ptr<Selector>> selector_of(Engine& engine, CompareSpec spec);

// Returns the recommendations of R181 for a row on the device chosen for it: with its figure, else with the selector's estimate.
std::vector<Recommendation> recommendations_for(const CompareRow& row, const std::string& device_id, double ns,
                                                const Selector& selector);

}  // namespace fuselab::engine
