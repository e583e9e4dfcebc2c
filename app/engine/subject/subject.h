// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/wire/imported_model.h"

namespace fuselab::engine {

// The extents that must be known: all of them for running a graph; a graph that is only viewed may keep its symbols.
enum class Extents { kAllBound, kMayBeOpen };

// The resolved subject of a job: one graph with its extents bound.
struct Subject {
  std::string name;                        // "resnet50", "w3-residual-rmsnorm", "model.onnx", "graph"
  std::string content;                     // for a file: the key of its graph before extents are bound; see stored_model()
  std::string binding;                     // "batch=1"
  std::string dtype;                       // "f32", as asked of a built-in workload; empty where the model itself decides
  Graph graph;                             // concrete, unless resolved with Extents::kMayBeOpen
  std::map<NodeId, std::string> barriers;  // why an opaque node of the graph is a barrier, where that is known
  ImportCounts imported;
  std::set<std::string> constants;  // params whose numbers are the file's: what they decide alone is folded from O2 on
  std::filesystem::path file;       // the ONNX file that it was read from, while that is there
  bool is_model_file = false;       // somebody's ONNX file: a param without numbers then lacks them, and is not made to be random
  std::vector<std::string> notes;   // what the import left out or changed
  // By the names of the graph's params, the file that holds their numbers: see ImportedModel::weight_files.
  std::map<std::string, std::string> weight_files;
  // Packed numbers of the params that the file holds, by their names; null where they were not asked for or there is no file.
  std::shared_ptr<const std::map<std::string, std::vector<std::byte>>> weights;

  // Returns whether numbers from the seed in this value's place are invented: a weight that its file declares without numbers, or
  // with RandomNormal's and RandomUniform's, whose distribution is not followed. Built-in subjects and graph texts have no numbers
  // on purpose.
  bool would_be_invented(const Value& value) const { return is_model_file && value.origin == ValueOrigin::kParam; }
};

// Says for people that weights are invented: "2 weights have no numbers in the file, so random ones stand in: w, b"; empty: none.
std::string invented_text(const std::vector<std::string>& names);

// Resolves a subject as typed: a built-in model ("resnet50"), a built-in workload ("w3"), a file (.onnx or graph text), or the text
// of a graph itself. `binding` takes precedence over a built-in subject's own extents, which may be several; a file or text has
// none. Built-in models are first written as ONNX files into the model directory (or into a temporary one where there is none) and
// imported from there.
// `numbers` are what inputs of a model will hold, see import_onnx().
// Fails for a name in `binding` that the subject has no symbol for.
Result<std::vector<Subject>> resolve_subject(const Config& config, const std::string& subject, const std::string& binding,
                                             DType dtype, Extents extents = Extents::kAllBound,
                                             Weights weights = Weights::kShapesAlone, const InputNumbers& numbers = {});

// `links` is as in Config; these ask a model's file for its symbols.
// Returns the binding of each subject for resolve_subject(): its own or, where one --shape serves all of them, the part of it that
// the subject has symbols for.
// Fails with kInvalidArgument for any other number of shapes and for a name that none of the subjects has.
Result<std::vector<std::string>> shape_of_each(const std::vector<std::string>& subjects, const std::vector<std::string>& shapes,
                                               platform::Links links = platform::Links::kRefused);
// Fails with kInvalidArgument for a name that none of the subjects has a symbol for. A subject that cannot be read has no symbols;
// where none can be read, this succeeds and each subject fails later with its own error.
Status check_shape_names(const std::vector<std::string>& subjects, const std::string& shape,
                         platform::Links links = platform::Links::kRefused);
// Returns the part of a shared shape that this subject has symbols for: "batch=8".
Result<std::string> own_part_of_shape(const std::string& subject, const std::string& shape,
                                      platform::Links links = platform::Links::kRefused);
Status check_shape_count(std::size_t shapes, std::size_t subjects);

// Returns whether a name is that of a built-in model or workload, or the beginning of one.
bool is_builtin_subject(const std::string& name);

// Parses "f16", "bf16", "f32" or "f64": the element types that a built-in workload may have.
Result<DType> parse_element_type(const std::string& name);

// Returns a note on a subject that is the beginning of several workloads' names: "w4: taken as w4-layernorm; also w4-rmsnorm";
// empty: there is nothing to say.
std::string note_on_short_name(const std::string& subject);

// A built-in model with the extents it has when none are asked for.
struct ModelDefaults {
  std::string id, title;
  std::vector<Bindings> shapes;
};
std::vector<ModelDefaults> default_shapes();

// Returns the built-in models, which are the subjects of a job that names none.
std::vector<std::string> default_subjects();

}  // namespace fuselab::engine
