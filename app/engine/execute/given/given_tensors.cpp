// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/given_tensors.h"

#include <algorithm>

#include "app/engine/tensors/tensor_file.h"
#include "core/platform/machine/machine.h"
#include "core/reference/special_inputs.h"

namespace fuselab::engine {
namespace {

std::string names_with_types(const Graph& graph, std::span<const ValueId> values) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i)
    text += (i > 0 ? ", " : "") + graph.value(values[i]).name + " (" + type_text(graph.type(values[i])) + ")";
  return values.size() > kMostShown ? text + " and " + std::to_string(values.size() - kMostShown) + " more" : text;
}

std::vector<ValueId> without_params(const Graph& graph) {
  std::vector<ValueId> inputs;
  for (const ValueId input : graph.inputs()) {
    if (graph.value(input).origin == ValueOrigin::kInput) inputs.push_back(input);
  }
  return inputs;
}

Result<ValueId> input_named(const Graph& graph, const char* option, const std::string& name) {
  for (const ValueId input : graph.inputs()) {
    if (graph.value(input).name == name) return input;
  }
  const auto is_cut_short = [&](ValueId input) { return graph.value(input).name.starts_with(name + "="); };
  const bool cut_short = std::any_of(graph.inputs().begin(), graph.inputs().end(), is_cut_short);
  return invalid_argument(std::string(option) + ": '" + name + "' is no input; there are " +
                          names_with_types(graph, without_params(graph)) + ", and the weights" +
                          (cut_short ? ". A name that holds '=' stands in double quotes: '\"a=b\"=FILE'" : ""));
}

Result<ValueId> output_named(const Graph& graph, const char* option, const std::string& name) {
  for (const ValueId output : graph.outputs()) {
    if (graph.value(output).name == name) return output;
  }
  return invalid_argument(std::string(option) + ": '" + name + "' is no output; there are " +
                          names_with_types(graph, graph.outputs()));
}

Status check_feedback(const Graph& graph, const GivenTensors& given, int runs) {
  for (const auto& [name, source] : given.feedback) {
    FL_TRY(const ValueId input, input_named(graph, "--feedback", name));
    FL_TRY(const ValueId output, output_named(graph, "--feedback", source));
    const TensorType &into = graph.type(input), &from = graph.type(output);
    if (into.dtype != from.dtype || into.shape != from.shape) {
      return invalid_argument("--feedback: input '" + name + "' is " + type_text(into) + ", and output '" + source + "' is " +
                              type_text(from));
    }
    if (runs < 2) return invalid_argument("--feedback: '" + name + "' is fed to the run after: --times N, 2 or more");
  }
  return {};
}

// Returns whether `whole` holds a tensor of type `one` for each of so many runs.
bool holds_runs(const TensorType& whole, const TensorType& one, std::int64_t runs) {
  if (runs < 2 || whole.dtype != one.dtype || whole.shape.empty()) return false;
  const std::int64_t first = whole.shape.front().extent();
  if (whole.shape.size() == one.shape.size() + 1)
    return first == runs && std::equal(one.shape.begin(), one.shape.end(), whole.shape.begin() + 1);
  if (whole.shape.size() != one.shape.size()) return false;
  return first % runs == 0 && first / runs == one.shape.front().extent() &&
         std::equal(one.shape.begin() + 1, one.shape.end(), whole.shape.begin() + 1);
}

bool same(const TensorType& a, const TensorType& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

// The files of one tensor, read for so many runs.
class FilesOfRuns {
 public:
  FilesOfRuns(std::string name, TensorType type, int runs) : name_(std::move(name)), type_(std::move(type)), runs_(runs) {}

  Result<TensorOfRuns> read(const TensorFiles& files) {
    const bool one_each = files.size() > 1;
    if (one_each && files.size() != static_cast<std::size_t>(runs_)) {
      return invalid_argument("'" + name_ + "' has " + std::to_string(files.size()) + " files, and there " +
                              (runs_ == 1 ? "is 1 run" : "are " + std::to_string(runs_) + " runs") +
                              ": give one file for all, or one for each (--times N)");
    }
    TensorOfRuns all;
    for (const std::filesystem::path& file : files) {
      FL_TRY(PackedTensor array, read_tensor_file(file, name_, [&](const TensorType& found) { return fits(found, one_each); }));
      all.files += (all.files.empty() ? "" : ", ") + file.string();
      all.runs = one_each || !same(array.type, type_) ? runs_ : 1;
      if (all.bytes.empty()) {
        all.bytes = std::move(array.bytes);
      } else {
        all.bytes.insert(all.bytes.end(), array.bytes.begin(), array.bytes.end());
      }
    }
    return all;
  }

 private:
  Status fits(const TensorType& found, bool one_each) const {
    if (!same(found, type_) && (one_each || !holds_runs(found, type_, runs_))) {
      TensorType together = type_;
      together.shape.insert(together.shape.begin(), Dim(std::int64_t{runs_}));
      const bool or_together = runs_ > 1 && !one_each;
      return invalid_argument("holds " + type_text(found) + ", and it is " + type_text(type_) +
                              (or_together ? ", or " + type_text(together) + " for all runs" : ""));
    }
    FL_TRY(const Bytes size, size_of(found));
    const Bytes free = platform::available_memory();
    if (size.count <= free.count / (one_each ? runs_ : 1)) return {};
    return Error{ErrorCode::kOutOfMemory, "takes " + format_bytes(size) + (one_each ? " for each run" : "") + ", and " +
                                              format_bytes(free) + " of memory are free"};
  }

  std::string name_;
  TensorType type_;
  int runs_;
};

}  // namespace

InputNumbers GivenTensors::lasting_values() const {
  InputNumbers lasting = values;
  for (const auto& [input, output] : feedback) lasting.erase(input);
  return lasting;
}

std::span<const std::byte> TensorOfRuns::of_run(int run) const {
  const std::span<const std::byte> all(bytes);
  if (!for_each_run()) return all;
  const std::size_t size = all.size() / static_cast<std::size_t>(runs);
  return all.subspan(size * static_cast<std::size_t>(run), size);
}

Result<GivenNumbers> read_given(const Graph& graph, const GivenTensors& given, int runs) {
  // Every name is checked before the first file is opened.
  for (const auto& [name, files] : given.inputs) {
    FL_TRY_VOID(input_named(graph, "--input", name));
    if (given.values.contains(name)) return invalid_argument("'" + name + "' is given by --input and by --value");
  }
  for (const auto& [name, value] : given.values) FL_TRY_VOID(input_named(graph, "--value", name));
  for (const auto& [name, files] : given.expect) FL_TRY_VOID(output_named(graph, "--expect", name));
  FL_TRY_VOID(check_feedback(graph, given, runs));
  GivenNumbers numbers;
  for (const auto& [name, files] : given.inputs) {
    FL_TRY(const ValueId input, input_named(graph, "--input", name));
    auto read = FilesOfRuns(name, graph.type(input), runs).read(files);
    if (!read.ok()) return read.error().within("input '" + name + "'");
    if (read.value().for_each_run() && given.feedback.contains(name))
      return invalid_argument("'" + name + "' is fed back, and --input gives it for each run: give what it is at first");
    numbers.inputs.emplace(name, std::move(read).value());
  }
  for (const auto& [name, files] : given.expect) {
    FL_TRY(const ValueId output, output_named(graph, "--expect", name));
    auto read = FilesOfRuns(name, graph.type(output), runs).read(files);
    if (!read.ok()) return read.error().within("output '" + name + "'");
    numbers.expect.emplace(name, std::move(read).value());
  }
  return numbers;
}

bool runs_differ(const GivenTensors& given, const GivenNumbers& numbers) {
  const auto for_each = [](const auto& entry) { return entry.second.for_each_run(); };
  return !given.feedback.empty() || std::any_of(numbers.inputs.begin(), numbers.inputs.end(), for_each) ||
         std::any_of(numbers.expect.begin(), numbers.expect.end(), for_each);
}

Result<InputTensor> input_tensor(const Graph& graph, std::size_t index, const GivenTensors& given, const GivenNumbers& numbers,
                                 const WeightNumbers& weights, std::uint64_t seed) {
  using enum InputTensor::Source;
  const ValueId input = graph.inputs()[index];
  const std::string& name = graph.value(input).name;
  const TensorType& type = graph.type(input);
  if (const auto held = numbers.inputs.find(name); held != numbers.inputs.end()) {
    const auto first = held->second.of_run(0);
    return InputTensor{kGiven, {first.begin(), first.end()}};
  }
  const auto value = given.values.find(name);
  if (value != given.values.end() || given.feedback.contains(name)) {
    FL_TRY(const std::int64_t count, element_count(type.shape));
    const double number = value != given.values.end() ? value->second : 0;
    return InputTensor{kGiven, pack({type, std::vector<double>(static_cast<std::size_t>(count), number)})};
  }
  if (weights != nullptr) {
    FL_TRY(const Bytes size, size_of(type));
    const auto held = weights->find(name);
    if (held != weights->end() && static_cast<std::int64_t>(held->second.size()) == size.count)
      return InputTensor{kFile, held->second};
  }
  return InputTensor{kSeed, pack(make_input(graph, index, {InputPattern::kUniform, seed}))};
}

}  // namespace fuselab::engine
