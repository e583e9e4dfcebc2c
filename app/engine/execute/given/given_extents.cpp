// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/given_extents.h"

#include <algorithm>
#include <map>
#include <optional>

#include "app/engine/subject/subject.h"
#include "app/engine/tensors/tensor_file.h"

namespace fuselab::engine {
namespace {

// Nothing of the file's numbers is read: what it holds is known before there is room for them.
Result<TensorType> type_of_file(const std::filesystem::path& file, const std::string& name) {
  std::optional<TensorType> found;
  const auto stopped = read_tensor_file(file, name, [&](const TensorType& type) {
    found = type;
    return Status(Error{ErrorCode::kCancelled, "its type is known"});
  });
  if (found) return *found;
  return stopped.ok() ? invalid_argument(file.string() + ": its type is not known") : stopped.error();
}

struct Found {
  std::int64_t extent = 0;
  std::string file;
};

// A file for all runs may have an axis of them before the input's own. What the shape says is not asked of a file.
Status take_extents(const std::string& file, TensorType type, const Shape& shape, int runs, const Bindings& asked,
                    std::map<std::string, Found>& found) {
  const bool has_axis_of_runs = type.shape.size() == shape.size() + 1 && runs > 1 && type.shape.front().extent() == runs;
  if (has_axis_of_runs) type.shape.erase(type.shape.begin());
  if (type.shape.size() != shape.size()) return {};  // read_given() says what is wrong
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].is_symbol() || asked.contains(shape[axis].name())) continue;
    const auto [place, is_new] = found.emplace(shape[axis].name(), Found{type.shape[axis].extent(), file});
    if (is_new || place->second.extent == type.shape[axis].extent()) continue;
    return invalid_argument("'" + shape[axis].name() + "' is " + std::to_string(place->second.extent) + " in " +
                            place->second.file + " and " + std::to_string(type.shape[axis].extent()) + " in " + file);
  }
  return {};
}

}  // namespace

Result<std::string> bound_by_files(const Config& config, const std::string& subject, const std::string& binding, DType dtype,
                                   const GivenTensors& given, int runs) {
  if (given.inputs.empty()) return binding;
  const auto open = resolve_subject(config, subject, "", dtype, Extents::kMayBeOpen);
  if (!open.ok() || open.value().size() != 1) return binding;  // resolving it to run says why, or several shapes are its own
  const Graph& graph = open.value().front().graph;
  if (graph.symbols().empty()) return binding;
  FL_TRY(const Bindings asked, parse_bindings(binding));
  std::map<std::string, Found> found;
  for (const ValueId input : graph.inputs()) {
    const auto files = given.inputs.find(graph.value(input).name);
    if (files == given.inputs.end() || files->second.empty()) continue;
    FL_TRY(TensorType type, type_of_file(files->second.front(), files->first));
    FL_TRY_VOID(take_extents(files->second.front().string(), std::move(type), graph.type(input).shape, runs, asked, found));
  }
  std::string bound = binding;
  for (const auto& [symbol, each] : found) bound += (bound.empty() ? "" : ",") + symbol + "=" + std::to_string(each.extent);
  return bound;
}

}  // namespace fuselab::engine
