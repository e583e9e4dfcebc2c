// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// Whether every extent has to be known: for what runs. What is only looked at may keep its symbols.
enum class Extents { kAllBound, kAsGiven };

// What a job is about, resolved: one graph with its extents bound.
struct Subject {
  std::string name;                        // "resnet50", "w3-residual-rmsnorm", "model.onnx", "graph"
  std::string content;                     // of a file: the key of its graph before extents are bound; see stored_model()
  std::string binding;                     // "batch=1"
  std::string dtype;                       // "f32", as asked of a built-in workload; empty where the model itself says
  Graph graph;                             // concrete, unless resolved with Extents::kAsGiven
  std::map<NodeId, std::string> barriers;  // why an opaque node of the graph is one, where that is known
  std::vector<std::string> notes;          // what the import left out or changed
};

// A subject as typed may be a built-in model ("resnet50"), a built-in workload ("w3"), a file (.onnx or graph text), or the text
// of a graph itself. `binding` lies over a built-in subject's own extents, which may be several; a file or text has none. A name
// that the subject has no symbol for is an error. Built-in models are written as ONNX files into the model directory first (where
// there is none, into a temporary one) and imported from there.
Result<std::vector<Subject>> resolve_subject(const Config& config, const std::string& subject, const std::string& binding,
                                             DType dtype, Extents extents = Extents::kAllBound);

// What resolve_subject() is to bind, one for each subject: its own, or of the one --shape that serves all of them what it has
// symbols for. kInvalidArgument for any other number of them and for a name that none of the subjects has.
Result<std::vector<std::string>> shape_of_each(const std::vector<std::string>& subjects, const std::vector<std::string>& shapes);
// kInvalidArgument for a name that none of the subjects has a symbol for. One that cannot be read has none; where none can, each
// subject has its own error.
Status check_shape_names(const std::vector<std::string>& subjects, const std::string& shape);
// Of a shape that several subjects share, what this one has symbols for: "batch=8".
Result<std::string> own_part_of_shape(const std::string& subject, const std::string& shape);
Status check_shape_count(std::size_t shapes, std::size_t subjects);

// "f16", "bf16", "f32", "f64": of what a built-in workload may be made.
Result<DType> parse_element_type(const std::string& name);

// What is to be said of a subject that is the beginning of several workloads' names: "w4: taken as w4-layernorm; also w4-rmsnorm";
// empty: nothing.
std::string note_on_short_name(const std::string& subject);

// The built-in models with the extents they have where none are asked for.
struct ModelDefaults {
  std::string id, title;
  std::vector<Bindings> shapes;
};
std::vector<ModelDefaults> default_shapes();

// The built-in models: what a job without subjects is about.
std::vector<std::string> default_subjects();

}  // namespace fuselab::engine
