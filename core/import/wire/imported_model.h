// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"
#include "core/graph/graph.h"

namespace fuselab {

// Whether the numbers of weights are read: for measuring their shapes are enough.
enum class Weights { kShapesAlone, kRead };

// The number that every element of an input will have, by the input's name.
using InputNumbers = std::map<std::string, double>;

// The reason of a barrier that is one only because another barrier left the type of its operand unknown.
inline constexpr const char* kUnknownOperand = "it reads a tensor whose type is not known";

// A model as far as it was understood. Weights are params; unknown operators are Opaque barriers.
struct ImportedModel {
  Graph graph;
  std::string name;
  int nodes = 0;         // compute nodes of the file
  int opaque_nodes = 0;  // those of them that were not understood
  std::vector<std::string> opaque_types;
  std::map<NodeId, std::string> barriers;  // the reason for each opaque node: "its axes are computed"
  ImportCounts imported;
  std::vector<std::string> notes;   // for people: what was folded, assumed or left out
  std::set<std::string> constants;  // params of which the file, or one beside it, has the numbers
  // With Weights::kRead the packed numbers of the graph's params, by their names; those that the file does not have are left out.
  std::map<std::string, std::vector<std::byte>> weights;
  // By the names of the graph's params, the file that holds their numbers; empty: the model's own. Params without numbers are left
  // out.
  std::map<std::string, std::string> weight_files;

  double covered_share() const { return nodes > 0 ? 1.0 - static_cast<double>(opaque_nodes) / nodes : 1.0; }
};

}  // namespace fuselab
