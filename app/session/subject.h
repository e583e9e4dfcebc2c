// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::session {

// What a job is about, resolved: one graph with its extents bound.
struct Subject {
  std::string name;                        // "resnet50", "w3-residual-rmsnorm", "model.onnx", "graph"
  std::string content;                     // of a file: the key of its graph before extents are bound; see stored_model()
  std::string binding;                     // "batch=1"
  std::string dtype;                       // "f32", as asked of a built-in workload; empty where the model itself says
  Graph graph;                             // concrete
  std::map<NodeId, std::string> barriers;  // why an opaque node of the graph is one, where that is known
  std::vector<std::string> notes;          // what the import left out or changed
};

// A subject as typed may be a built-in model ("resnet50"), a built-in workload ("w3"), a file (.onnx or graph text), or the text
// of a graph itself. An empty `binding` takes the subject's own defaults, which may be several (a decoder at S=128 and S=1).
// Built-in models are written as ONNX files into the model directory first (where there is none, into a temporary one) and imported
// from there.
Result<std::vector<Subject>> resolve_subject(const Config& config, const std::string& subject, const std::string& binding,
                                             DType dtype);

// One --shape serves all subjects, or each has its own: kInvalidArgument for any other number.
Status check_shape_count(std::size_t shapes, std::size_t subjects);

// "f16", "bf16", "f32", "f64": of what a built-in workload may be made.
Result<DType> parse_element_type(const std::string& name);

// The built-in models: what a job without subjects is about.
std::vector<std::string> default_subjects();

}  // namespace fuselab::session
