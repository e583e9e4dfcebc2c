// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/subject.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "app/engine/own/own_file.h"
#include "app/engine/own/own_given.h"
#include "app/engine/own/own_pipeline.h"
#include "core/base/words.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "core/import/onnx_import.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/directories.h"
#include "core/platform/files/temporary_folder.h"
#include "core/workloads/workload.h"

namespace fuselab::engine {
namespace {

constexpr std::string_view kFolderPrefix = "fuselab-model";

std::string binding_text(const Bindings& bindings) {
  std::string text;
  for (const auto& [symbol, extent] : bindings) text += (text.empty() ? "" : ",") + symbol + "=" + std::to_string(extent);
  return text;
}

Result<Subject> bound_subject(std::string name, const Graph& graph, const Bindings& bindings, Extents extents) {
  auto bound = extents == Extents::kAllBound ? fuselab::bind(graph, bindings) : bind_given(graph, bindings);
  if (!bound.ok()) return bound.error().within(name);
  Subject subject;
  subject.name = std::move(name);
  subject.binding = binding_text(bindings);
  subject.graph = std::move(bound).value();
  return subject;
}

// A model's file, and what reading it always takes the same.
struct ModelFile {
  std::filesystem::path file;
  platform::Links links;
  Result<ImportedModel> read(const Bindings& extents = {}, Weights weights = Weights::kShapesAlone,
                             const InputNumbers& numbers = {}) const {
    return import_onnx(file, extents, weights, numbers, links);
  }
};

std::set<std::string> symbols_of_inputs(const Graph& graph) {
  std::set<std::string> names;
  for (const ValueId input : graph.inputs()) {
    for (const Dim& dim : graph.type(input).shape) {
      add_symbols(dim, names);
    }
  }
  return names;
}

// Names what the model leaves open to its user: further symbols follow from these.
Error no_such_symbol(const Bindings& binding, const std::vector<std::string>& symbols, const std::set<std::string>& of_inputs) {
  const auto other = std::ranges::find_if(
      binding, [&](const auto& entry) { return !std::binary_search(symbols.begin(), symbols.end(), entry.first); });
  return invalid_argument("'" + other->first + "' is no symbol of this graph; " +
                          (of_inputs.empty() ? "its inputs have none" : "its inputs have " + joined(of_inputs)));
}

// Returns extents for the symbols that no operator which can be run has to do with: those that barriers give their results.
Bindings behind_barriers(const Graph& graph, const Bindings& binding) {
  std::set<std::string> needed;
  const auto add = [&](ValueId value) {
    for (const Dim& dim : graph.type(value).shape) add_symbols(dim, needed);
  };
  for (const ValueId input : graph.inputs()) add(input);
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::kOpaque) continue;
    for (const ValueId value : node.inputs) add(value);
    for (const ValueId value : node.outputs) add(value);
  }
  Bindings extents;
  for (const std::string& symbol : graph.symbols()) {
    if (!needed.contains(symbol) && !binding.contains(symbol)) extents[symbol] = 1;
  }
  return extents;
}

// Reads a model again with the extents that are asked for, when its inputs leave some open: what the symbols kept open is then
// folded, and where one of them is a number that something computes with, it has that value. Where an input's extent is missing
// only that one is named, not those that follow from it.
Result<ImportedModel> specialised(const ModelFile& file, const std::string& name, const ImportedModel& open,
                                  const Bindings& binding, Extents extents, Weights weights, const InputNumbers& numbers) {
  const auto of_inputs = symbols_of_inputs(open.graph);
  const auto as_it_is = [&]() -> Result<ImportedModel> {
    return weights == Weights::kRead || !numbers.empty() ? file.read({}, weights, numbers) : open;
  };
  const auto symbols = open.graph.symbols();
  const bool names_others = std::any_of(binding.begin(), binding.end(), [&](const auto& entry) {
    return !std::binary_search(symbols.begin(), symbols.end(), entry.first);
  });
  if (names_others) return no_such_symbol(binding, symbols, of_inputs).within(name);
  if (of_inputs.empty()) return as_it_is();
  std::string missing, options;
  for (const std::string& symbol : of_inputs) {
    if (binding.contains(symbol)) continue;
    missing += (missing.empty() ? "" : ", ") + symbol;
    options += (options.empty() ? "" : ",") + symbol + "=…";
  }
  if (!missing.empty() && extents == Extents::kMayBeOpen && binding.empty()) return as_it_is();
  if (!missing.empty() && extents == Extents::kAllBound)
    return invalid_argument("the shape needs a value for " + missing + ": --shape " + options).within(name);
  return file.read(binding, weights, numbers);
}

// Returns, as a note, what share of a model with open extents is covered once these have numbers; nothing where the numbers that
// are tried leave as many barriers.
std::optional<std::string> probed(const ModelFile& file, const ImportedModel& open) {
  constexpr std::int64_t kTried = 64;
  Bindings tried;
  std::string options;
  for (const std::string& symbol : symbols_of_inputs(open.graph)) {
    tried[symbol] = kTried;
    options += (options.empty() ? "" : ",") + symbol + "=…";
  }
  if (tried.empty() || open.opaque_nodes == 0) return std::nullopt;
  const auto model = file.read(tried);
  if (!model.ok() || model.value().opaque_nodes >= open.opaque_nodes) return std::nullopt;
  const int percent = static_cast<int>(100 * model.value().covered_share());
  return "its inputs leave extents open; with " + std::to_string(kTried) + " for each, " + std::to_string(percent) +
         "% of the operators are read: give --shape " + options;
}

// Returns the entries of a shape that still apply, without those whose symbols `graph` no longer has: these are numbers already.
Bindings left_of(const Bindings& binding, const Graph& open, const Graph& graph) {
  Bindings left = binding;
  const auto before = open.symbols(), after = graph.symbols();
  std::erase_if(left, [&](const auto& entry) {
    return std::binary_search(before.begin(), before.end(), entry.first) &&
           !std::binary_search(after.begin(), after.end(), entry.first);
  });
  return left;
}

Result<std::vector<Subject>> import_model(const ModelFile& file, const std::string& name, const std::vector<Bindings>& bindings,
                                          Extents extents, Weights weights, const InputNumbers& numbers = {}) {
  FL_TRY(const ImportedModel open, file.read());
  std::vector<Subject> subjects;
  for (const Bindings& binding : bindings) {
    FL_TRY(ImportedModel model, specialised(file, name, open, binding, extents, weights, numbers));
    Bindings left = left_of(binding, open.graph, model.graph);
    if (extents == Extents::kAllBound) left.merge(behind_barriers(model.graph, left));
    FL_TRY(Subject subject, bound_subject(name, model.graph, left, extents));
    subject.binding = binding_text(binding);
    subject.content = graph_key(open.graph).hex();
    subject.barriers = model.barriers;
    subject.notes = model.notes;
    subject.weight_files = model.weight_files;
    subject.imported = model.imported;
    subject.constants = std::move(model.constants);
    subject.is_model_file = true;
    subject.file = file.file;
    if (extents == Extents::kMayBeOpen && binding.empty()) {
      if (auto told = probed(file, open)) subject.notes.insert(subject.notes.begin(), *std::move(told));
    }
    if (weights == Weights::kRead)
      subject.weights = std::make_shared<std::map<std::string, std::vector<std::byte>>>(std::move(model.weights));
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

// Says so where a model's file lacks numbers that it declares.
void note_invented_weights(Subject& subject) {
  std::vector<std::string> names;
  for (const ValueId input : subject.graph.inputs()) {
    const Value& value = subject.graph.value(input);
    if (subject.would_be_invented(value) && !subject.weight_files.contains(value.name)) names.push_back(value.name);
  }
  if (!names.empty()) subject.notes.push_back(invented_text(names));
}

const BuiltinModel* find_builtin_model(const std::string& id) {
  const auto models = builtin_models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const BuiltinModel& model) { return model.id == id; });
  return found == models.end() ? nullptr : &*found;
}

// Lays the extents that are asked for over the model's own; where two of these become equal, one is kept.
std::vector<Bindings> laid_over(const std::vector<Bindings>& defaults, const Bindings& asked) {
  std::vector<Bindings> bindings;
  for (Bindings binding : defaults) {
    for (const auto& [symbol, extent] : asked) binding[symbol] = extent;
    if (std::find(bindings.begin(), bindings.end(), binding) == bindings.end()) bindings.push_back(std::move(binding));
  }
  return bindings;
}

Result<std::vector<Subject>> import_builtin(const Config& config, const BuiltinModel& model, const Bindings& asked) {
  // Where the file cannot be kept, or need not be since nothing is measured, it is removed after it was read.
  std::optional<platform::TemporaryFolder> passing;
  std::filesystem::path folder = config.model_directory;
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (folder.empty() || !platform::check_writable(folder).ok()) {
    platform::TemporaryFolder::sweep(kFolderPrefix);
    FL_TRY(platform::TemporaryFolder made, platform::TemporaryFolder::create(kFolderPrefix));
    folder = passing.emplace(std::move(made)).path();
  }
  const auto file = folder / (model.id + ".onnx");
  // Written again each time: it is small, and an edited file must not pass for the built-in model.
  FL_TRY_VOID(write_builtin_model(model.id, file));
  FL_TRY(auto subjects, import_model({file, platform::Links::kRefused}, model.id, laid_over(model.default_bindings, asked),
                                     Extents::kAllBound, Weights::kShapesAlone));
  for (Subject& subject : subjects) {
    subject.content.clear();  // a built-in model is identified by its name
    subject.is_model_file = false;
    if (passing) subject.file.clear();
  }
  return subjects;
}

// Reads as much as the text of a graph may have.
Result<std::string> read_file(const std::filesystem::path& file) {
  constexpr Bytes kMost{16 << 20};
  FL_TRY(const auto bytes, platform::read_file(file, kMost));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// A kernel's text runs as it is, so it comes from a file that the user names, never from inside of another text.
Status holds_no_kernel(const Graph& graph) {
  const bool holds = std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op == Op::kOwnKernel; });
  return holds ? Status(
                     invalid_argument("the text of a graph cannot hold a kernel of somebody's own; give the kernel's file (.toml)"))
               : Status();
}

Result<std::vector<Subject>> read_own_kernel(const Config& config, const std::filesystem::path& file, const Bindings& bindings,
                                             Extents extents) {
  FL_TRY(const OwnPipeline own, read_own_pipeline(file, bindings, config.cache_directory));
  const std::string name = file.filename().string();
  const bool only_looks = extents == Extents::kMayBeOpen;
  if (!own.not_runnable().empty() && !only_looks)
    return Error{ErrorCode::kUnsupported, name + ": it can be looked at (--dry-run), not run: " + own.not_runnable()};
  Subject subject;
  subject.name = name;
  subject.binding = binding_text(own.sizes());
  for (const OwnFile& each : own.kernels) subject.notes.insert(subject.notes.end(), each.notes.begin(), each.notes.end());
  if (only_looks) subject.notes.insert(subject.notes.begin(), own_summary(own));
  FL_TRY(subject.graph, graph_of(own));
  subject.content = graph_key(subject.graph).hex();
  note_given(subject.graph);
  for (const OwnFile& each : own.kernels) {
    FL_TRY(const Graph piece, graph_of(each.kernel));
    note_given(piece);
  }
  return std::vector<Subject>{std::move(subject)};
}

Result<std::vector<Subject>> parse_text(const std::string& name, const std::string& text, const Bindings& bindings,
                                        Extents extents) {
  auto graph = parse_graph(text);
  if (!graph.ok()) return graph.error().within(name);
  if (const Status plain = holds_no_kernel(graph.value()); !plain.ok()) return plain.error().within(name);
  FL_TRY(Subject subject, bound_subject(name, graph.value(), bindings, extents));
  subject.content = graph_key(graph.value()).hex();
  return std::vector<Subject>{std::move(subject)};
}

bool is_graph_text(const std::string& subject) {
  return subject.rfind("graph", 0) == 0 && subject.find('(') != std::string::npos;
}

std::set<std::string> names_of(const Bindings& bindings) {
  std::set<std::string> names;
  for (const auto& [name, extent] : bindings) names.insert(name);
  return names;
}

Result<std::set<std::string>> symbols_of(const Graph& graph) {
  const auto symbols = graph.symbols();
  return std::set<std::string>(symbols.begin(), symbols.end());
}

// Returns the names that a --shape may have for this subject. Fails where resolve_subject() does, too.
Result<std::set<std::string>> symbols_of(const std::string& subject, platform::Links links) {
  if (const BuiltinModel* model = find_builtin_model(subject)) {
    return names_of(model->default_bindings.empty() ? Bindings() : model->default_bindings.front());
  }
  std::error_code ignored;
  const bool is_text = is_graph_text(subject);
  if (!is_text && std::filesystem::is_regular_file(subject, ignored)) {
    if (std::filesystem::path(subject).extension() == ".onnx") {
      FL_TRY(const ImportedModel model, import_onnx(subject, {}, Weights::kShapesAlone, {}, links));
      return symbols_of(model.graph);
    }
    if (is_own_file(subject)) {
      FL_TRY(const Bindings sizes, sizes_of_own_pipeline(subject));
      return names_of(sizes);
    }
    FL_TRY(const std::string text, read_file(subject));
    FL_TRY(const Graph graph, parse_graph(text));
    return symbols_of(graph);
  }
  if (is_text) {
    FL_TRY(const Graph graph, parse_graph(subject));
    return symbols_of(graph);
  }
  FL_TRY(const Workload* const workload, find_workload(subject));
  return names_of(workload->default_shape);
}

// Fails with "'bogus' is no symbol of these subjects; they have batch, seq".
Status check_names(const Bindings& shape, const std::set<std::string>& known) {
  for (const auto& [name, extent] : shape) {
    if (known.contains(name)) continue;
    std::string list = joined(known);
    return invalid_argument("--shape: '" + name + "' is no symbol of these subjects; they have " + (list.empty() ? "none" : list));
  }
  return {};
}

Bindings part_of(const Bindings& shape, const std::set<std::string>& symbols) {
  Bindings own;
  std::copy_if(shape.begin(), shape.end(), std::inserter(own, own.end()),
               [&](const auto& binding) { return symbols.contains(binding.first); });
  return own;
}

}  // namespace

std::string invented_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 6;
  if (names.empty()) return "";
  std::string text = names.size() == 1
                         ? "1 weight has no numbers in the file, so random ones stand in: "
                         : std::to_string(names.size()) + " weights have no numbers in the file, so random ones stand in: ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > kMostNamed ? " …" : "");
}

Status check_shape_names(const std::vector<std::string>& subjects, const std::string& shape, platform::Links links) {
  FL_TRY(const Bindings shared, parse_bindings(shape));
  std::set<std::string> all;
  bool any = false;
  for (const std::string& subject : subjects) {
    const auto symbols = symbols_of(subject, links);
    if (!symbols.ok()) continue;
    any = true;
    all.insert(symbols.value().begin(), symbols.value().end());
  }
  return any ? check_names(shared, all) : Status();
}

Result<std::string> own_part_of_shape(const std::string& subject, const std::string& shape, platform::Links links) {
  FL_TRY(const Bindings shared, parse_bindings(shape));
  const auto symbols = symbols_of(subject, links);
  if (!symbols.ok()) return symbols.error().within(subject);
  return binding_text(part_of(shared, symbols.value()));
}

Result<std::vector<std::string>> shape_of_each(const std::vector<std::string>& subjects, const std::vector<std::string>& shapes,
                                               platform::Links links) {
  FL_TRY_VOID(check_shape_count(shapes.size(), subjects.size()));
  if (shapes.empty()) return std::vector<std::string>(subjects.size());
  if (shapes.size() == subjects.size()) return shapes;
  FL_TRY(const Bindings shared, parse_bindings(shapes.front()));
  std::set<std::string> all;
  std::vector<std::string> texts;
  for (const std::string& subject : subjects) {
    const auto symbols = symbols_of(subject, links);
    if (!symbols.ok()) return symbols.error().within(subject);
    all.insert(symbols.value().begin(), symbols.value().end());
    texts.push_back(binding_text(part_of(shared, symbols.value())));
  }
  FL_TRY_VOID(check_names(shared, all));
  return texts;
}

Status check_shape_count(std::size_t shapes, std::size_t subjects) {
  if (shapes <= 1 || shapes == subjects) return {};
  return invalid_argument(std::to_string(shapes) + " --shape for " + std::to_string(subjects) +
                          (subjects == 1 ? " subject" : " subjects") + ": give one for all, or one each");
}

bool is_builtin_subject(const std::string& name) {
  return find_builtin_model(name) != nullptr || find_workload(name).ok();
}

Result<DType> parse_element_type(const std::string& name) {
  if (const auto dtype = parse_dtype(name)) return *dtype;
  return invalid_argument("'" + name + "' is no element type; f16, bf16, f32 and f64 are");
}

std::vector<std::string> default_subjects() {
  std::vector<std::string> names;
  for (const BuiltinModel& model : builtin_models()) names.push_back(model.id);
  return names;
}

std::vector<ModelDefaults> default_shapes() {
  std::vector<ModelDefaults> models;
  for (const BuiltinModel& model : builtin_models()) models.push_back({model.id, model.title, model.default_bindings});
  return models;
}

std::string note_on_short_name(const std::string& subject) {
  std::error_code ignored;
  if (find_builtin_model(subject) != nullptr || std::filesystem::is_regular_file(subject, ignored)) return "";
  const auto taken = find_workload(subject);
  std::string others = joined(also_meant(subject));
  return taken.ok() && !others.empty() ? subject + ": taken as " + taken.value()->id + "; also " + others : "";
}

Result<std::vector<Subject>> resolve_subject(const Config& config, const std::string& subject, const std::string& binding,
                                             DType dtype, Extents extents, Weights weights, const InputNumbers& numbers) {
  FL_TRY(const Bindings bindings, parse_bindings(binding));
  // A trace holds no path and no text of a graph.
  const std::string shown = is_graph_text(subject) ? "graph" : std::filesystem::path(subject).filename().string();
  const TraceScope traced(config.trace, kJobTrack, "import " + shown, "import");

  if (const BuiltinModel* model = find_builtin_model(subject)) return import_builtin(config, *model, bindings);
  if (is_graph_text(subject)) {
    FL_TRY(auto subjects, parse_text("graph", subject, bindings, extents));
    // Two graphs that were typed are two subjects, so each gets a name of its own.
    for (Subject& typed : subjects) {
      typed.name += "-" + graph_key(typed.graph).hex().substr(0, 8);
      typed.content.clear();
    }
    return subjects;
  }

  std::error_code ignored;
  if (std::filesystem::is_regular_file(subject, ignored)) {
    const std::filesystem::path file(subject);
    if (file.extension() == ".onnx") {
      FL_TRY(auto subjects,
             import_model({file, config.model_links}, file.filename().string(), {bindings}, extents, weights, numbers));
      for (Subject& read : subjects) note_invented_weights(read);
      return subjects;
    }
    if (is_own_file(file)) return read_own_kernel(config, file, bindings, extents);
    FL_TRY(const std::string text, read_file(file));
    auto parsed = parse_text(file.filename().string(), text, bindings, extents);
    const bool may_be_something_else = !parsed.ok() && text.find("graph") == std::string::npos;
    if (may_be_something_else) {
      return invalid_argument(subject + " is no model: files that do not end in .onnx are read as the text of a graph, and " +
                              parsed.error().message);
    }
    return parsed;
  }

  auto workload = find_workload(subject);
  if (!workload.ok()) {
    if (std::filesystem::is_directory(subject, ignored)) return invalid_argument(subject + " is a folder; name a file in it");
    if (subject.find('/') != std::string::npos || std::filesystem::path(subject).extension() == ".onnx")
      return Error{ErrorCode::kNotFound, "there is no file '" + subject + "'; check its folder and its name"};
    std::string models = joined(default_subjects());
    return Error{ErrorCode::kNotFound,
                 "'" + subject + "' is neither a file nor a built-in model (" + models + "), and " + workload.error().message};
  }
  Bindings shape = workload.value()->default_shape;
  for (const auto& [symbol, extent] : bindings) shape[symbol] = extent;
  FL_TRY(Graph graph, instantiate(*workload.value(), shape, dtype));
  Subject resolved;
  resolved.name = workload.value()->id;
  resolved.binding = binding_text(shape);
  resolved.dtype = name_of(dtype);
  resolved.graph = std::move(graph);
  return std::vector<Subject>{std::move(resolved)};
}

}  // namespace fuselab::engine
