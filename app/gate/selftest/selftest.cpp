// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/selftest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "app/engine/workers/selected_devices.h"
#include "app/gate/judge/judgement.h"
#include "app/gate/selftest/replay_kernel.h"
#include "app/gate/selftest/selftest_record.h"
#include "core/base/plain_text.h"
#include "core/base/random.h"
#include "core/base/version.h"
#include "core/platform/machine/busy_processor.h"

namespace fuselab::engine {
namespace {

// Workloads between 20 µs and some ms on two cores; the last three exceed a second-level cache, the very last most last-level ones.
struct DefaultSubject {
  const char* name;
  const char* binding;
};
constexpr DefaultSubject kDefaults[] = {
    {"w1", "rows=128,cols=1024"},           {"w3", "rows=256,cols=1024"}, {"w4", "rows=256,cols=1024"},
    {"w5", "rows=128,cols=1024"},           {"w6", "rows=128,cols=1024"}, {"w8", "rows=64,vocab=4096"},
    {"s1-matmul", "m=128,n=128,k=128"},     {"w7", "heads=8,seq=1024"},   {"w14", "count=262144"},
    {"w13-row-sum", "rows=4096,cols=4096"},
};

constexpr int kMostFailedInARow = 50;

double elapsed_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Selftest {
 public:
  Selftest(const Config& config, const SelftestSpec& spec) : config_(config), spec_(spec), workers_(options_of(config)) {}

  Result<SelftestReport> run(const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop) {
    FL_TRY_VOID(find_device());
    FL_TRY_VOID(make_kernels());
    FL_TRY(SelftestRecord record, SelftestRecord::open(spec_, report_.device, report_.kernels, config_.worker_program));
    report_.trials = record.take_trials();
    report_.resumed = static_cast<int>(report_.trials.size());
    report_.wanted = comparisons_in(spec_);
    slice_ = report_.trials.empty() ? 0 : report_.trials.back().slice + 1;
    const std::vector<double> slowdowns = schedule_of(spec_);
    std::optional<platform::BusyProcessor> load;
    if (spec_.load && !report_.is_complete()) load.emplace();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t index = report_.trials.size(); index < slowdowns.size() && !stop.stop_requested(); ++index) {
      if (spec_.slice_seconds > 0 && elapsed_since(start) >= spec_.slice_seconds) break;
      SelftestTrial trial = try_once(static_cast<int>(index), slowdowns[index], stop);
      if (stop.stop_requested() && !trial.failure.empty()) break;  // a stop is no finding
      FL_TRY_VOID(record.append(trial));
      failed_in_a_row_ = trial.judged() ? 0 : failed_in_a_row_ + 1;
      if (failed_in_a_row_ == kMostFailedInARow) return Error{ErrorCode::kUnavailable, trial.failure};
      report_.trials.push_back(std::move(trial));
      if (on_trial) on_trial(report_);
    }
    return std::move(report_);
  }

 private:
  static WorkerPoolOptions options_of(const Config& config) {
    WorkerPoolOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    return options;
  }

  Status find_device() {
    FL_TRY(const std::vector<std::string> ids, workers_.backend_ids());
    std::vector<BackendReport> backends;
    for (const std::string& id : ids) {
      FL_TRY(BackendReport report, workers_.probe(id));
      backends.push_back(std::move(report));
    }
    FL_TRY(const auto devices, select_devices(backends, {{spec_.device}}, config_.synthetic));
    report_.device = devices.front();
    if (devices.size() == 1) return {};
    return invalid_argument(spec_.device + " is several devices; name one: --device " + devices.front().id);
  }

  Status make_kernels() {
    std::vector<std::string> names = spec_.subjects, bindings = spec_.bindings;
    if (names.empty() && !bindings.empty()) return invalid_argument("--shape belongs to a subject; name one");
    if (names.empty()) {
      bindings.clear();
      for (const DefaultSubject& subject : kDefaults) {
        names.emplace_back(subject.name);
        bindings.emplace_back(subject.binding);
      }
    }
    FL_TRY(bindings, shape_of_each(names, bindings, config_.model_links));
    FL_TRY(const DType dtype, parse_element_type(spec_.dtype));
    for (std::size_t i = 0; i < names.size(); ++i) {
      FL_TRY(const std::vector<Subject> subjects, resolve_subject(config_, names[i], bindings[i], dtype));
      for (const Subject& subject : subjects) {
        auto made = replay_kernel(workers_, report_.device, subject);
        const std::string id = made.ok() ? made.value().plan.steps.front().kernel.kernel_id() : std::string();
        report_.kernels.push_back({subject.name, subject.binding, id, made.ok() ? "" : made.error().message});
        if (made.ok()) kernels_.push_back(std::move(made).value());
      }
    }
    if (!kernels_.empty()) return {};
    return Error{ErrorCode::kUnsupported, report_.kernels.empty() ? "no kernel to compare" : report_.kernels.front().failure};
  }

  ReplaySpec spec_for(const ReplayKernel& kernel, std::uint64_t seed) const {
    ReplaySpec replay;
    replay.device = report_.device;
    replay.baseline = kernel.plan;
    replay.candidate = kernel.plan;
    replay.baseline.label = "baseline";
    replay.candidate.label = "candidate";
    replay.protocol.min_sample = spec_.min_sample;
    replay.rule = spec_.rule;
    replay.seed = seed;
    return replay;
  }

  SelftestTrial try_once(int index, double slowdown, std::stop_token stop) {
    const ReplayKernel& kernel = kernels_[static_cast<std::size_t>(index) % kernels_.size()];
    SelftestTrial trial;
    trial.index = index;
    trial.kernel = kernel.name + " " + kernel.binding;
    trial.slowdown = slowdown;
    trial.slice = slice_;
    const Status compared = compare(kernel, trial, stop);
    if (!compared.ok()) trial.failure = compared.error().message;
    return trial;
  }

  Status compare(const ReplayKernel& kernel, SelftestTrial& trial, std::stop_token stop) {
    const std::uint64_t seed = spec_.seed + 2 * static_cast<std::uint64_t>(trial.index);
    ReplaySpec replay = spec_for(kernel, seed);
    replay.candidate.handicap = trial.slowdown;
    const auto start = std::chrono::steady_clock::now();
    FL_TRY(Replay first, replay_in_pairs(workers_, replay, stop));
    FL_TRY_VOID(first.fitness());
    trial.first = std::move(first);
    trial.wall_seconds = elapsed_since(start);
    if (!trial.alarmed()) return {};
    replay.seed = seed + 1;
    replay.rule = confirmation_rule(spec_.rule, static_cast<std::size_t>(spec_.suite));
    FL_TRY(Replay again, replay_in_pairs(workers_, replay, stop));
    FL_TRY_VOID(again.fitness());
    trial.confirmation = std::move(again);
    return {};
  }

  const Config& config_;
  const SelftestSpec& spec_;
  WorkerPool workers_;
  SelftestReport report_;
  std::vector<ReplayKernel> kernels_;
  int failed_in_a_row_ = 0;
  int slice_ = 0;
};

}  // namespace

int comparisons_in(const SelftestSpec& spec) {
  return spec.identical + static_cast<int>(spec.slowdowns.size()) * spec.slowed;
}

std::vector<double> schedule_of(const SelftestSpec& spec) {
  std::vector<double> slowdowns(static_cast<std::size_t>(spec.identical), 0.0);
  for (const double slowdown : spec.slowdowns) slowdowns.insert(slowdowns.end(), static_cast<std::size_t>(spec.slowed), slowdown);
  SeededRandom random(spec.seed);
  for (std::size_t i = slowdowns.size(); i > 1; --i) std::swap(slowdowns[i - 1], slowdowns[random.below(i)]);
  return slowdowns;
}

std::string registration(const SelftestSpec& spec, std::string_view commit) {
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return std::string(text);
  };
  std::string slowdowns, kernels;
  for (const double slowdown : spec.slowdowns) slowdowns += (slowdowns.empty() ? "+" : ", +") + number(100 * slowdown) + " %";
  for (std::size_t i = 0; i < spec.subjects.size(); ++i)
    kernels += (i > 0 ? "; " : "") + spec.subjects[i] + (i < spec.bindings.size() ? " " + spec.bindings[i] : "");
  for (const DefaultSubject& subject : kDefaults) {
    if (spec.subjects.empty()) kernels += (kernels.empty() ? "" : "; ") + std::string(subject.name) + " " + subject.binding;
  }
  const ComparisonRule& rule = spec.rule;
  const std::string text = "seed " + std::to_string(spec.seed) + ": " + std::to_string(spec.identical) +
                           " comparisons of identical sides, " + std::to_string(spec.slowed) + " at each of " + slowdowns +
                           "; margin " + number(100 * rule.margin) + " %, intervals of " + number(100 * (1 - rule.alpha)) + " %, " +
                           std::to_string(rule.least_processes) + " to " + std::to_string(rule.most_processes) +
                           " processes, at most " + number(rule.budget.count * 1e-9) +
                           " s of kernel time each; confirmed as in a suite of " + std::to_string(spec.suite) +
                           (spec.load ? "; one CPU kept busy" : "") + "; Fuselab " + std::string(tool_version()) + ", commit ";
  return text + plain_line(commit) + "\nkernels: " + plain_line(kernels);
}

Result<SelftestReport> run_selftest(const Config& config, const SelftestSpec& spec,
                                    const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop) {
  return Selftest(config, spec).run(on_trial, std::move(stop));
}

}  // namespace fuselab::engine
