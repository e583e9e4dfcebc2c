// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_file.h"

#include <algorithm>

#include "app/engine/own/own_check.h"
#include "app/engine/own/own_source.h"
#include "app/engine/own/own_t1.h"
#include "app/engine/own/own_tensors.h"
#include "app/engine/own/own_toml.h"
#include "core/base/words.h"
#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/reference/own_reference.h"
#include "core/tuning/own_space.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargestFile{std::int64_t{4} << 20};

Result<std::string> file_text(const std::filesystem::path& file) {
  FL_TRY(const std::vector<std::byte> bytes, platform::read_file(file, kLargestFile));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<OwnText> read_text(const std::filesystem::path& file, const Bindings& sizes) {
  FL_TRY(const std::string text, file_text(file));
  const std::string name = file.filename().string();
  return file.extension() == ".toml" ? read_own_toml(text, name, sizes) : read_own_t1(text, name, sizes);
}

// The reference with the kernel's sizes in place of its symbols.
Result<std::string> bound_reference(const OwnKernel& kernel, const std::string& name) {
  auto graph = parse_graph(kernel.reference);
  if (!graph.ok()) return graph.error().within(name + ": reference");
  Bindings sizes;
  for (const std::string& symbol : graph.value().symbols()) {
    const auto size = kernel.sizes.find(symbol);
    if (size == kernel.sizes.end()) return invalid_argument(name + ": reference: '" + symbol + "' is none of the sizes in [sizes]");
    sizes[symbol] = size->second;
  }
  auto bound = fuselab::bind(graph.value(), sizes);
  if (!bound.ok()) return bound.error().within(name + ": reference");
  return named_text(bound.value());
}

}  // namespace

bool is_own_file(const std::filesystem::path& file) {
  return file.extension() == ".toml" || file.extension() == ".json";
}

Result<Bindings> sizes_of_own_file(const std::filesystem::path& file) {
  FL_TRY(const OwnText read, read_text(file, {}));
  return Bindings(read.kernel.sizes.begin(), read.kernel.sizes.end());
}

Result<OwnFile> read_own_file(const std::filesystem::path& file, const Bindings& sizes,
                              const std::filesystem::path& cache_directory) {
  FL_TRY(OwnText read, read_text(file, sizes));
  const std::string name = file.filename().string();
  const std::filesystem::path folder = file.parent_path();
  OwnFile own;
  own.notes = read.notes;
  own.not_runnable = read.not_runnable;
  auto source = read_own_source(folder, read.sources);
  if (source.ok()) {
    read.kernel.source = std::move(source).value();
  } else if (read.may_lack_source && (source.error().code == ErrorCode::kIo || source.error().code == ErrorCode::kNotFound)) {
    if (own.not_runnable.empty()) own.not_runnable = source.error().message;
  } else {
    return source.error().within(name + ": source");
  }
  read.kernel.source_name = read.sources.front();
  if (!read.reference_file.empty()) {
    auto inside = read_own_text(folder, read.reference_file);
    if (inside.ok()) {
      read.kernel.reference = std::move(inside).value();
    } else if (!read.may_lack_source || inside.error().code == ErrorCode::kInvalidArgument) {
      return inside.error().within(name + ": reference");
    } else if (own.not_runnable.empty()) {
      own.not_runnable = "its reference: " + inside.error().message;
    }
  }
  FL_TRY_VOID(check_own_kernel(read, name));
  if (const Status kept = keep_own_tensors(read.kernel, folder, cache_directory); !kept.ok()) return kept.error().within(name);
  const auto is_expected = [](const OwnArgument& each) { return !each.is_written() || !each.expected.empty(); };
  const bool expects = std::ranges::any_of(read.kernel.arguments, [](const OwnArgument& each) { return !each.expected.empty(); });
  if (expects && !read.kernel.reference.empty())
    return invalid_argument(name + ": there is a reference, and an argument with expected; one of the two says what is right");
  if (read.kernel.reference.empty() && std::ranges::all_of(read.kernel.arguments, is_expected)) read.kernel.reference = kOwnGiven;
  if (read.kernel.reference == kOwnDefault) {
    own.notes.push_back("its default configuration is taken to be right: nothing else says so");
  } else if (!read.kernel.reference.empty() && read.kernel.reference != kOwnGiven) {
    FL_TRY(read.kernel.reference, bound_reference(read.kernel, name));
  } else if (read.kernel.reference.empty() && own.not_runnable.empty()) {
    own.not_runnable =
        "it has no reference, so nothing says what is right: state one as reference = \"graph(…) { … }\", or reference = "
        "\"default\"";
  }
  own.kernel = std::move(read.kernel);
  if (own.kernel.arguments.empty()) return own;
  FL_TRY(const Graph graph, graph_of(own.kernel));
  const auto reference = own.kernel.reference.empty() ? Result<std::optional<OwnReference>>(std::nullopt) : own_reference(graph);
  if (!reference.ok()) return reference.error().within(name);
  // What is not stated is what the reference computes.
  if (reference.value() && reference.value()->graph && own.kernel.flops <= 0) {
    FL_TRY(const Cost cost, cost_of(*reference.value()->graph));
    own.kernel.flops = cost.flops;
  }
  return own;
}

std::string own_summary(const OwnFile& own) {
  const OwnKernel& kernel = own.kernel;
  std::string text = "a kernel of your own in " + std::string(spelled_language(kernel.language)) + ", '" + kernel.function +
                     "' of " + kernel.source_name;
  const auto space = own_space_of(kernel);
  if (!space.ok()) return text;
  const std::string parameters = counted(static_cast<std::int64_t>(kernel.parameters.size()), "parameter");
  const auto valid = count_valid(space.value());
  if (!valid) return text + ", with " + parameters;
  text += ", with " + parameters + ": " + (*valid == kMostCounted ? "more than " : "") + counted(*valid, "configuration");
  return own.not_runnable.empty() ? text : text + "; it cannot be run: " + own.not_runnable;
}

Result<Graph> graph_of(const OwnKernel& kernel) {
  Graph graph;
  std::vector<ValueId> inputs;
  std::vector<std::string> outputs;
  for (const OwnArgument& each : kernel.arguments) {
    if (each.is_read()) inputs.push_back(graph.add_input(each.name, {each.element, each.shape}));
    if (each.is_written()) outputs.push_back(each.is_read() ? each.name + "_after" : each.name);
  }
  FL_TRY(const NodeId node, graph.add_node(Op::kOwnKernel, std::move(inputs), attributes_of(kernel), std::move(outputs)));
  graph.node(node).name = kernel.name;
  for (const ValueId output : graph.node(node).outputs) graph.add_output(output);
  return graph;
}

}  // namespace fuselab::engine
