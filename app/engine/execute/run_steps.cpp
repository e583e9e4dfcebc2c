// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/run_steps.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "app/engine/execute/given_indices.h"
#include "core/platform/files/atomic_file.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {
namespace {

// The reference reads the files that the kernels read. Errors may be as large as the kernels that ran state.
Result<Verification> check_outputs(const Graph& whole, const std::filesystem::path& folder, std::uint64_t seed,
                                   const std::vector<RealTensor>& outputs, Drawbacks stated) {
  std::vector<RealTensor> inputs;
  for (const ValueId input : whole.inputs()) {
    FL_TRY(const Bytes size, size_of(whole.type(input)));
    FL_TRY(const auto bytes, platform::read_file(RuntimeExecutor::tensor_file(folder, input), size));
    FL_TRY(RealTensor tensor, unpack(whole.type(input), bytes));
    inputs.push_back(std::move(tensor));
  }
  FL_TRY(const auto expected, expected_outputs(whole, inputs, seed));
  return compare_outputs(whole, expected, outputs, stated.without({Drawback::kNanLoss}));
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
    if (spec_.check) {
      FL_TRY(Verification checked, check_outputs(whole_, steps_.folder, spec_.seed, outputs, done_.runs.back().drawbacks));
      if (differ_ && !checked.passed) checked.detail = "run " + std::to_string(run + 1) + ": " + checked.detail;
      join(done_.verification, std::move(checked));
    }
    if (!spec_.save_to.empty()) FL_TRY_VOID(save_outputs(graph_, steps_.folder, into(spec_.save_to, run), summaries));
    if (!spec_.output_directory.empty())
      FL_TRY_VOID(save_arrays(graph_, steps_.folder, into(spec_.output_directory, run), summaries));
    FL_TRY(auto held, hold_against(whole_, steps_.numbers, outputs, run, count_));
    for (Expectation& each : held) {
      each.run = differ_ ? run + 1 : 0;
      done_.expectations.push_back(std::move(each));
    }
    if (differ_) done_.steps.push_back({summaries});
    done_.outputs = std::move(summaries);
    return {};
  }

 private:
  Status write(ValueId input, std::span<const std::byte> bytes) const {
    return platform::write_passing_file(RuntimeExecutor::tensor_file(steps_.folder, input), bytes);
  }

  std::filesystem::path into(const std::filesystem::path& folder, int run) const {
    const std::filesystem::path own = steps_.several_subjects ? folder / done_.binding : folder;
    if (!differ_) return own;
    // As many digits as the last run has, so that the names sort as the runs came.
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

Status write_inputs(const ExecutionGraph& graph, const std::filesystem::path& folder, const ExecuteSpec& spec,
                    const GivenNumbers& numbers, const WeightNumbers& weights, ExecutedSubject& done) {
  const Graph& whole = graph.whole();
  for (std::size_t i = 0; i < whole.inputs().size(); ++i) {
    FL_TRY(const InputTensor input, input_tensor(whole, i, spec.given, numbers, weights, spec.seed));
    done.given += input.source == InputTensor::Source::kGiven ? 1 : 0;
    done.from_file += input.source == InputTensor::Source::kFile ? 1 : 0;
    done.from_seed += input.source == InputTensor::Source::kSeed ? 1 : 0;
    FL_TRY_VOID(platform::write_passing_file(RuntimeExecutor::tensor_file(folder, whole.inputs()[i]), input.bytes));
  }
  return {};
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
