// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

// The words for whole models beside the best mix of their pieces, the same in every face.
namespace fuselab::engine {

// Returns "Whole model in one stack, beside the best mix of its pieces, 11.4 ms (cpu:0 9, openvino:0 2)"; the mix is left out while
// it lacks a piece.
std::string whole_models_title(const CompareTable& table);

// Returns how its time stands to the best mix's, "1.08x the time of the best mix [1.03, 1.13]: slower"; empty while that is not
// known; of one that has no figure the outcome and the reason, "unsupported: Swish: …", "not measured: its float64 reference …".
std::string whole_model_words(const WholeModel& whole);

}  // namespace fuselab::engine
