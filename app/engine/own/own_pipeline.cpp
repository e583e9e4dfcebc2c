// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_pipeline.h"

#include <algorithm>
#include <map>

#include "app/engine/own/own_source.h"
#include "app/engine/toml/toml_table.h"
#include "core/base/words.h"

namespace fuselab::engine {
namespace {

// Returns the files of the kernels: those that the file names, or the file itself. A file that cannot be read is said to be so by
// who reads the kernel in it.
Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& file, bool is_inside = false) {
  const std::vector<std::filesystem::path> itself = {file};
  if (file.extension() != ".toml") return itself;
  const std::string name = file.filename().string();
  const std::filesystem::path folder = file.parent_path();
  const auto text = read_own_text(folder, name);
  if (!text.ok()) return itself;
  const auto root = read_toml(text.value(), name);
  if (!root.ok()) return root.error();
  const TomlTable table(root.value(), name, "the file");
  if (!table.has("kernels")) return itself;
  if (is_inside) return table.error_of("kernels", "stands in a file that another file of kernels names; name its kernels there");
  FL_TRY_VOID(table.knows_only({"kernels"}));
  FL_TRY(const auto named, table.texts("kernels"));
  std::vector<std::filesystem::path> files;
  for (const std::string& each : named.value_or(std::vector<std::string>())) {
    if (!stays_inside(folder, each))
      return table.error_of("kernels", "has '" + each + "', which lies outside of the file's folder; copy it there");
    if (!is_own_file(each)) return table.error_of("kernels", "has '" + each + "', which is no kernel's file");
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(folder / each, ignored))
      return table.error_of("kernels", "has '" + each + "', and there is no such file beside it");
    FL_TRY_VOID(files_of(folder / each, true));
    files.push_back(folder / each);
  }
  return files;
}

Status check_names(const Bindings& asked, const Bindings& sizes, const std::string& file) {
  for (const auto& [name, size] : asked) {
    if (sizes.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [each, value] : sizes) names.push_back(each);
    return invalid_argument("--shape: '" + name + "' is no size of " + file + "; it has " +
                            (names.empty() ? "none" : joined(names)));
  }
  return {};
}

// The sizes that are asked for and that this kernel has.
Bindings known_of(const Bindings& asked, const Bindings& sizes) {
  Bindings known;
  for (const auto& [name, size] : asked) {
    if (sizes.contains(name)) known[name] = size;
  }
  return known;
}

Status check_together(const OwnPipeline& pipeline, const std::string& name) {
  std::map<std::string, std::int64_t> sizes;
  for (const OwnFile& own : pipeline.kernels) {
    const OwnKernel& kernel = own.kernel;
    const OwnKernel& first = pipeline.kernels.front().kernel;
    if (kernel.language != first.language)
      return invalid_argument(name + ": '" + first.name + "' is written in " + std::string(spelled_language(first.language)) +
                              ", '" + kernel.name + "' in " + std::string(spelled_language(kernel.language)) +
                              "; one device runs all kernels of a file");
    const auto namesake = std::ranges::find(pipeline.kernels, kernel.name, [](const OwnFile& each) { return each.kernel.name; });
    if (&*namesake != &own)
      return invalid_argument(name + ": two kernels have the name '" + kernel.name + "'; give one of them another: name = \"…\"");
    for (const auto& [size, value] : kernel.sizes) {
      const auto [known, is_new] = sizes.emplace(size, value);
      if (!is_new && known->second != value)
        return invalid_argument(name + ": the size '" + size + "' is " + std::to_string(known->second) + " in one kernel and " +
                                std::to_string(value) + " in '" + kernel.name + "'");
    }
  }
  return {};
}

}  // namespace

std::string OwnPipeline::not_runnable() const {
  for (const OwnFile& each : kernels) {
    if (each.not_runnable.empty()) continue;
    return kernels.size() == 1 ? each.not_runnable : "'" + each.kernel.name + "': " + each.not_runnable;
  }
  return "";
}

Bindings OwnPipeline::sizes() const {
  Bindings all;
  for (const OwnFile& each : kernels) all.insert(each.kernel.sizes.begin(), each.kernel.sizes.end());
  return all;
}

Result<Bindings> sizes_of_own_pipeline(const std::filesystem::path& file) {
  FL_TRY(const auto files, files_of(file));
  Bindings all;
  for (const std::filesystem::path& each : files) {
    FL_TRY(const Bindings sizes, sizes_of_own_file(each));
    all.insert(sizes.begin(), sizes.end());
  }
  return all;
}

Result<OwnPipeline> read_own_pipeline(const std::filesystem::path& file, const Bindings& sizes,
                                      const std::filesystem::path& cache_directory) {
  FL_TRY(const auto files, files_of(file));
  if (files.size() > 1) {
    FL_TRY(const Bindings all, sizes_of_own_pipeline(file));
    FL_TRY_VOID(check_names(sizes, all, file.filename().string()));
  }
  OwnPipeline pipeline;
  for (const std::filesystem::path& each : files) {
    Bindings asked = sizes;
    if (files.size() > 1) {
      FL_TRY(const Bindings has, sizes_of_own_file(each));
      asked = known_of(sizes, has);
    }
    FL_TRY(OwnFile own, read_own_file(each, asked, cache_directory));
    pipeline.kernels.push_back(std::move(own));
  }
  FL_TRY_VOID(check_together(pipeline, file.filename().string()));
  return pipeline;
}

Result<Graph> graph_of(const OwnPipeline& pipeline) {
  if (pipeline.kernels.size() == 1) return graph_of(pipeline.kernels.front().kernel);
  Graph graph;
  std::map<std::string, ValueId> current;  // the value that a name stands for by now
  std::vector<ValueId> written;
  std::map<ValueId, bool> is_read;
  for (const OwnFile& own : pipeline.kernels) {
    const OwnKernel& kernel = own.kernel;
    std::vector<ValueId> inputs;
    std::vector<std::string> names;
    for (const OwnArgument& each : kernel.arguments) {
      if (each.is_written()) names.push_back(kernel.name + "." + each.name);
      if (!each.is_read()) continue;
      const TensorType type{each.element, each.shape};
      const auto known = current.find(each.name);
      const ValueId value = known == current.end() ? graph.add_input(each.name, type) : known->second;
      if (graph.type(value) != type)
        return invalid_argument("'" + kernel.name + "' reads '" + each.name + "' as " + type_text(type) + ", and before it is " +
                                type_text(graph.type(value)));
      current[each.name] = value;
      is_read[value] = true;
      inputs.push_back(value);
    }
    FL_TRY(const NodeId node, graph.add_node(Op::kOwnKernel, std::move(inputs), attributes_of(kernel), std::move(names)));
    graph.node(node).name = kernel.name;
    auto made = graph.node(node).outputs.begin();
    for (const OwnArgument& each : kernel.arguments) {
      if (!each.is_written()) continue;
      current[each.name] = *made;
      written.push_back(*made++);
    }
  }
  for (const ValueId value : written) {
    if (!is_read[value]) graph.add_output(value);
  }
  return graph;
}

std::string own_summary(const OwnPipeline& pipeline) {
  if (pipeline.kernels.size() == 1) return own_summary(pipeline.kernels.front());
  std::string text = counted(static_cast<std::int64_t>(pipeline.kernels.size()), "kernel") + " of your own in a row";
  for (const OwnFile& each : pipeline.kernels) text += "; '" + each.kernel.name + "': " + own_summary(each);
  return text;
}

}  // namespace fuselab::engine
