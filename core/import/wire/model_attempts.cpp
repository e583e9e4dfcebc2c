// SPDX-License-Identifier: Apache-2.0
// Bodies that are read on trial. Everything that reading adds to lies at the end of something, so taking back is cutting off; what
// it changes elsewhere is written down while an attempt is under way.
#include "core/import/wire/model_import.h"

namespace fuselab::onnx {

ModelImport::Attempt ModelImport::begin_attempt() {
  ++attempts_;
  Attempt attempt;
  attempt.graph = graph().mark();
  attempt.nodes = result_.nodes;
  attempt.opaque_nodes = result_.opaque_nodes;
  attempt.either = result_.imported.either.size();
  attempt.written_out = result_.imported.loops;
  attempt.trips = result_.imported.trips;
  attempt.folded = result_.imported.folded_constants;
  attempt.types = result_.opaque_types.size();
  attempt.notes = result_.notes.size();
  attempt.notes_left_out = notes_left_out_;
  attempt.causes = causes_.size();
  attempt.made = scope_.made.size();
  attempt.calls = calls_.size();
  attempt.materialized = materialized_.size();
  attempt.taken = taken_along_.size();
  attempt.position = scope_.position;
  attempt.branches = scope_.branches;
  attempt.path = scope_.path;
  attempt.loops = loops_;
  attempt.trips_around = trips_around_;
  return attempt;
}

void ModelImport::keep(const Attempt& attempt) {
  FL_ASSERT(attempts_ > 0 && attempt.materialized <= materialized_.size());
  if (--attempts_ > 0) return;
  materialized_.clear();
  taken_along_.clear();
}

void ModelImport::take_back(const Attempt& attempt) {
  for (std::size_t i = attempt.materialized; i < materialized_.size(); ++i) materialized_[i]->value.reset();
  materialized_.resize(attempt.materialized);
  for (std::size_t i = attempt.taken; i < taken_along_.size(); ++i) {
    if (taken_along_[i] < attempt.causes) --causes_[taken_along_[i]].taken_along;
  }
  taken_along_.resize(attempt.taken);
  for (std::size_t i = attempt.graph.inputs; i < graph().inputs().size(); ++i) {
    const std::string& name = graph().value(graph().inputs()[i]).name;
    result_.weights.erase(name);
    result_.constants.erase(name);
    result_.weight_files.erase(name);
    param_names_.erase(name);
  }
  for (std::size_t i = attempt.graph.nodes; i < graph().nodes().size(); ++i)
    result_.barriers.erase(NodeId(static_cast<std::uint32_t>(i)));
  graph().rewind(attempt.graph);
  result_.nodes = attempt.nodes;
  result_.opaque_nodes = attempt.opaque_nodes;
  result_.imported.either.resize(attempt.either);
  result_.imported.loops = attempt.written_out;
  result_.imported.trips = attempt.trips;
  result_.imported.folded_constants = attempt.folded;
  result_.opaque_types.resize(attempt.types);
  result_.notes.resize(attempt.notes);
  notes_left_out_ = attempt.notes_left_out;
  causes_.resize(attempt.causes);
  forget_names(attempt.made);
  calls_.resize(attempt.calls);
  scope_.position = attempt.position;
  scope_.branches = attempt.branches;
  scope_.path = attempt.path;
  loops_ = attempt.loops;
  trips_around_ = attempt.trips_around;
  located_ = false;
  keep(attempt);
}

void ModelImport::forget_names(std::size_t made_before) {
  for (std::size_t i = made_before; i < scope_.made.size(); ++i) scope_.tensors.erase(scope_.made[i]);
  scope_.made.resize(made_before);
}

}  // namespace fuselab::onnx
