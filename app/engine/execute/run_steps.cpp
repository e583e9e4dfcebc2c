// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/run_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "app/engine/execute/given/given_indices.h"
#include "core/platform/files/atomic_file.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {
namespace {

// What the files hold that the kernels read.
Result<std::vector<RealTensor>> read_inputs(const Graph& whole, const std::filesystem::path& folder) {
  std::vector<RealTensor> inputs;
  for (const ValueId input : whole.inputs()) {
    FL_TRY(const Bytes size, size_of(whole.type(input)));
    FL_TRY(const auto bytes, platform::read_file(RuntimeExecutor::tensor_file(folder, input), size));
    FL_TRY(RealTensor tensor, unpack(whole.type(input), bytes));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

std::map<std::string, RealTensor> named(const Graph& whole, const std::vector<RealTensor>& inputs,
                                        const std::set<std::string>& names) {
  std::map<std::string, RealTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = whole.value(whole.inputs()[i]).name;
    if (names.contains(name)) tensors.emplace(name, inputs[i]);
  }
  return tensors;
}

// Joins what checking one run found to what checking those before it found.
void join(std::optional<Verification>& all, Verification one) {
  if (!all) {
    all = std::move(one);
    return;
  }
  if (all->passed) all->detail = one.detail;
  all->passed = all->passed && one.passed;
  const auto checked = static_cast<double>(all->checked), more = static_cast<double>(one.checked);
  if (checked + more > 0) all->mean_error = (all->mean_error * checked + one.mean_error * more) / (checked + more);
  all->checked += one.checked;
  all->max_error = std::max(all->max_error, one.max_error);
  all->worst_ratio = std::max(all->worst_ratio, one.worst_ratio);
}

std::size_t output_index(const Graph& graph, const std::string& name) {
  const auto outputs = graph.outputs();
  const auto found = std::find_if(outputs.begin(), outputs.end(), [&](ValueId output) { return graph.value(output).name == name; });
  return static_cast<std::size_t>(found - outputs.begin());
}

class Steps {
 public:
  Steps(const StepsToRun& steps, ExecutedSubject& done)
      : graph_(steps.graph),
        whole_(steps.graph.whole()),
        spec_(steps.spec),
        steps_(steps),
        differ_(runs_differ(steps.spec.given, steps.numbers)),
        count_(std::max(1, steps.spec.times)),
        done_(done) {}

  int count() const { return count_; }
  bool has_outputs(int run) const { return differ_ || run + 1 == count_; }

  // Writes the inputs of the next run that are not those of the run before it.
  Status next_inputs(int run) const {
    // An output may be a view of an input, so all are read before one is written.
    std::vector<std::pair<ValueId, std::vector<std::byte>>> fed;
    for (const ValueId input : whole_.inputs()) {
      const auto source = spec_.given.feedback.find(whole_.value(input).name);
      if (source == spec_.given.feedback.end()) continue;
      FL_TRY(auto bytes, output_bytes(graph_, steps_.folder, output_index(whole_, source->second)));
      fed.emplace_back(input, std::move(bytes));
    }
    for (const auto& [input, bytes] : fed) {
      FL_TRY_VOID(check_indices(whole_, input, bytes));
      FL_TRY_VOID(write(input, bytes));
    }
    for (const ValueId input : whole_.inputs()) {
      const auto given = steps_.numbers.inputs.find(whole_.value(input).name);
      if (given == steps_.numbers.inputs.end() || !given->second.for_each_run()) continue;
      FL_TRY_VOID(write(input, given->second.of_run(run)));
    }
    return {};
  }

  Status take_outputs(int run) {
    std::vector<OutputSummary> summaries;
    FL_TRY(const auto outputs, read_outputs(graph_, steps_.folder, summaries));
    // First of all: the reference may find that the numbers are to blame, and then nothing is saved.
    std::vector<ExpectedOutput> reference;
    if (spec_.check || needs_bounds()) {
      const std::string of_run = differ_ ? "run " + std::to_string(run + 1) + ": " : "";
      FL_TRY(const auto inputs, read_inputs(whole_, steps_.folder));
      auto computed = expected_outputs(whole_, inputs, spec_.seed);
      if (!computed.ok() && spec_.check) return computed.error();
      if (computed.ok()) reference = std::move(computed).value();  // without it, what is given is compared without bounds
      if (spec_.check) FL_TRY_VOID(check(inputs, reference, outputs, of_run));
    }
    if (!spec_.save_to.empty()) FL_TRY_VOID(save_outputs(graph_, steps_.folder, into(spec_.save_to, run), summaries));
    if (!spec_.output_directory.empty())
      FL_TRY_VOID(save_arrays(graph_, steps_.folder, into(spec_.output_directory, run), summaries));
    FL_TRY(auto compared, compare_expected(whole_, steps_.numbers, outputs, reference, spec_.given.expect_rule, run, count_));
    for (Expectation& each : compared) {
      each.run = differ_ ? run + 1 : 0;
      done_.expectations.push_back(std::move(each));
    }
    if (differ_) done_.steps.push_back({summaries});
    done_.outputs = std::move(summaries);
    return {};
  }

 private:
  bool needs_bounds() const { return !steps_.numbers.expect.empty() && !spec_.given.expect_rule.is_given() && has_bounds(whole_); }

  // Errors may be as large as the kernels that ran state.
  Status check(const std::vector<RealTensor>& inputs, const std::vector<ExpectedOutput>& expected,
               const std::vector<RealTensor>& outputs, const std::string& of_run) {
    const Drawbacks stated = done_.runs.back().drawbacks.without({Drawback::kNanLoss});
    Verification checked = compare_outputs(whole_, expected, outputs, stated);
    if (!checked.passed) checked.detail = of_run + checked.detail;
    join(done_.verification, std::move(checked));
    const Subject& subject = graph_.fused_model.subject;
    if (subject.file.empty() || (done_.file_check && !done_.file_check->not_evaluated.empty())) return {};
    FileCheck file = check_against_file(subject, steps_.links, named(whole_, inputs, steps_.not_of_file), expected);
    if (file.failed()) file.verification.detail = of_run + file.verification.detail;
    if (!done_.file_check) done_.file_check.emplace().verification.passed = true;
    done_.file_check->not_evaluated = file.not_evaluated;
    std::optional<Verification> all = done_.file_check->verification;
    join(all, std::move(file.verification));
    done_.file_check->verification = *std::move(all);
    return {};
  }

  Status write(ValueId input, std::span<const std::byte> bytes) const {
    return platform::write_passing_file(RuntimeExecutor::tensor_file(steps_.folder, input), bytes);
  }

  std::filesystem::path into(const std::filesystem::path& folder, int run) const {
    const std::filesystem::path own = steps_.several_subjects ? folder / done_.binding : folder;
    if (!differ_) return own;
    // The number has as many digits as the last run's, so that the names sort as the runs came.
    std::string number = std::to_string(run + 1);
    number.insert(0, std::to_string(count_).size() - number.size(), '0');
    return own / ("run-" + number);
  }

  const ExecutionGraph& graph_;
  const Graph& whole_;
  const ExecuteSpec& spec_;
  const StepsToRun& steps_;
  bool differ_;
  int count_;
  ExecutedSubject& done_;
};

}  // namespace

Result<std::set<std::string>> write_inputs(const ExecutionGraph& graph, const std::filesystem::path& folder,
                                           const ExecuteSpec& spec, const GivenNumbers& numbers, const WeightNumbers& weights,
                                           ExecutedSubject& done) {
  const Graph& whole = graph.whole();
  std::set<std::string> not_of_file;
  for (std::size_t i = 0; i < whole.inputs().size(); ++i) {
    FL_TRY(const InputTensor input, input_tensor(whole, i, spec.given, numbers, weights, spec.seed));
    done.given += input.source == InputTensor::Source::kGiven ? 1 : 0;
    done.from_file += input.source == InputTensor::Source::kFile ? 1 : 0;
    const Value& value = whole.value(whole.inputs()[i]);
    const bool seeded = input.source == InputTensor::Source::kSeed;
    if (input.source != InputTensor::Source::kFile) not_of_file.insert(value.name);
    done.from_seed += seeded ? 1 : 0;
    if (seeded && graph.fused_model.subject.would_be_invented(value)) done.invented.push_back(value.name);
    FL_TRY_VOID(platform::write_passing_file(RuntimeExecutor::tensor_file(folder, whole.inputs()[i]), input.bytes));
  }
  return not_of_file;
}

Status run_steps(RuntimeExecutor& executor, const StepsToRun& to_run, std::stop_token stop, ExecutedSubject& done) {
  Steps steps(to_run, done);
  for (int run = 0; run < steps.count(); ++run) {
    if (run > 0) FL_TRY_VOID(steps.next_inputs(run));
    FL_TRY(ExecutionResult result, executor.run(to_run.graph, to_run.candidates, to_run.folder, stop));
    done.runs.push_back(std::move(result));
    if (steps.has_outputs(run)) FL_TRY_VOID(steps.take_outputs(run));
  }
  return {};
}

}  // namespace fuselab::engine
