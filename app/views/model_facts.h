// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/graph/graph.h"

// What is known of a model before anything of it is run. Values without behaviour, as in snapshots.h.
namespace fuselab::engine {

// A symbol that the inputs of a model leave open: an extent to be asked for. Other open extents follow from these.
struct OpenExtent {
  struct Place {
    std::string input;
    std::size_t axis = 0, rank = 0;
  };
  std::string symbol;
  std::vector<Place> places;  // where it stands, in the order of the inputs
};
std::vector<OpenExtent> open_extents(const Graph& graph);

// An input that differs per call.
struct ModelInput {
  std::string name;
  TensorType type;
};

struct ModelWeight {
  std::string name;
  TensorType type;
  std::optional<Bytes> size;        // nothing where an extent is open
  std::optional<std::string> file;  // that holds its numbers, empty: the model's own; nothing: nobody has them
};
// Returns the weights that operators read, the largest first.
std::vector<ModelWeight> weights_by_size(const Graph& graph, const std::map<std::string, std::string>& files);
std::string weight_source_text(const ModelWeight& weight);  // "in the model", "in weights.bin", "made from the seed"

// Operators that were not understood for one reason.
struct BarrierCause {
  std::string op;
  std::string because;
  std::string first;    // the first of them by name, or by what it makes
  int operators = 0;    // of this type and with this reason
  int taken_along = 0;  // operators behind them that are barriers too, since they read what has no known type
};
// `unknown_operand`: the reason of those that are taken along. In the order of the graph.
std::vector<BarrierCause> barriers_by_cause(const Graph& graph, const std::map<NodeId, std::string>& barriers,
                                            const std::string& unknown_operand);

struct ModelFacts {
  std::string model;
  std::string binding;
  int operators = 0;  // barriers included, constants not
  std::vector<OpenExtent> open;
  std::vector<ModelInput> inputs;
  std::vector<ModelWeight> weights;
  std::vector<BarrierCause> barriers;
  std::vector<std::string> notes;  // what reading it left out or changed
};

}  // namespace fuselab::engine
