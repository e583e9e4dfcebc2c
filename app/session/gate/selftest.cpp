// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/selftest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>

#include "app/session/gate/replay_kernel.h"
#include "app/session/gate/selftest_record.h"
#include "app/session/selected_devices.h"
#include "core/base/random.h"
#include "core/base/version.h"

namespace fuselab::session {
namespace {

// Between 20 µs and some ms on two cores; the last three beyond a second-level cache, the very last beyond most last ones.
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

constexpr int kMostFailedInARow = 5;

class Selftest {
 public:
  Selftest(const Config& config, const SelftestSpec& spec) : config_(config), spec_(spec), workers_(options_of(config)) {}

  Result<SelftestReport> run(const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop) {
    FL_TRY_VOID(find_device());
    FL_TRY_VOID(make_kernels());
    FL_TRY(SelftestRecord record, SelftestRecord::open(spec_, report_.device, report_.kernels));
    report_.trials = record.take_trials();
    report_.resumed = static_cast<int>(report_.trials.size());
    for (const SelftestTrial& trial : report_.trials) remember(trial);
    std::vector<double> const slowdowns = schedule();
    for (std::size_t index = report_.trials.size(); index < slowdowns.size() && !stop.stop_requested(); ++index) {
      SelftestTrial trial = try_once(static_cast<int>(index), slowdowns[index], stop);
      if (stop.stop_requested() && !trial.failure.empty()) break;  // that is no finding
      FL_TRY_VOID(record.append(trial));
      failed_in_a_row_ = trial.judged() ? 0 : failed_in_a_row_ + 1;
      if (failed_in_a_row_ == kMostFailedInARow) return Error{ErrorCode::kUnavailable, trial.failure};
      remember(trial);
      report_.trials.push_back(std::move(trial));
      if (on_trial) on_trial(report_);
    }
    return std::move(report_);
  }

 private:
  static HouseOptions options_of(const Config& config) {
    HouseOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    return options;
  }

  Status find_device() {
    FL_TRY(std::vector<std::string> const ids, workers_.backend_ids());
    std::vector<BackendReport> backends;
    for (const std::string& id : ids) {
      FL_TRY(BackendReport report, workers_.probe(id));
      backends.push_back(std::move(report));
    }
    FL_TRY(auto const devices, select_devices(backends, {spec_.device}, config_.synthetic));
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
    FL_TRY(bindings, shape_of_each(names, bindings));
    FL_TRY(DType const dtype, parse_element_type(spec_.dtype));
    for (std::size_t i = 0; i < names.size(); ++i) {
      FL_TRY(std::vector<Subject> const subjects, resolve_subject(config_, names[i], bindings[i], dtype));
      for (const Subject& subject : subjects) {
        auto made = replay_kernel(workers_, report_.device, subject);
        std::string const id = made.ok() ? made.value().plan.steps.front().kernel.kernel_id() : std::string();
        report_.kernels.push_back({subject.name, subject.binding, id, made.ok() ? "" : made.error().message});
        if (made.ok()) kernels_.push_back(std::move(made).value());
      }
    }
    if (!kernels_.empty()) return {};
    return Error{ErrorCode::kUnsupported, report_.kernels.empty() ? "no kernel to compare" : report_.kernels.front().failure};
  }

  // Which comparison comes when: shuffled, so that no hour of the day is one kind's.
  std::vector<double> schedule() const {
    std::vector<double> slowdowns(static_cast<std::size_t>(spec_.identical), 0.0);
    for (double const slowdown : spec_.slowdowns)
      slowdowns.insert(slowdowns.end(), static_cast<std::size_t>(spec_.slowed), slowdown);
    SeededRandom random(spec_.seed);
    for (std::size_t i = slowdowns.size(); i > 1; --i) std::swap(slowdowns[i - 1], slowdowns[random.below(i)]);
    return slowdowns;
  }

  void remember(const SelftestTrial& trial) {
    if (!trial.judged()) return;
    const PairedSamples& samples = trial.first.processes.back().samples;
    latest_ns_[trial.kernel] = summarize(samples.baseline).median;
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

  // How long the kernel takes, for the size of its first handicap.
  Result<double> latest_ns(const ReplayKernel& kernel, std::stop_token stop) {
    auto const known = latest_ns_.find(kernel.name + " " + kernel.binding);
    if (known != latest_ns_.end()) return known->second;
    ReplaySpec once = spec_for(kernel, spec_.seed);
    once.rule.least_processes = once.rule.most_processes = 1;
    FL_TRY(Replay const replay, replay_in_pairs(workers_, once, stop));
    return summarize(replay.processes.back().samples.baseline).median;
  }

  SelftestTrial try_once(int index, double slowdown, std::stop_token stop) {
    const ReplayKernel& kernel = kernels_[static_cast<std::size_t>(index) % kernels_.size()];
    SelftestTrial trial;
    trial.index = index;
    trial.kernel = kernel.name + " " + kernel.binding;
    trial.slowdown = slowdown;
    Status const compared = compare(kernel, trial, stop);
    if (!compared.ok()) trial.failure = compared.error().message;
    return trial;
  }

  Status compare(const ReplayKernel& kernel, SelftestTrial& trial, std::stop_token stop) {
    std::uint64_t const seed = spec_.seed + 2 * static_cast<std::uint64_t>(trial.index);
    ReplaySpec replay = spec_for(kernel, seed);
    if (trial.slowdown > 0) {
      FL_TRY(double const ns, latest_ns(kernel, stop));
      trial.handicap = {trial.slowdown * ns};
      replay.candidate.handicap = trial.handicap;
    }
    auto const start = std::chrono::steady_clock::now();
    FL_TRY(trial.first, replay_in_pairs(workers_, replay, stop));
    trial.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!trial.alarmed()) return {};
    replay.seed = seed + 1;
    FL_TRY(trial.confirmation, replay_in_pairs(workers_, replay, stop));
    return {};
  }

  const Config& config_;
  const SelftestSpec& spec_;
  WorkerHouse workers_;
  SelftestReport report_;
  std::vector<ReplayKernel> kernels_;
  std::map<std::string, double> latest_ns_;  // by SelftestTrial::kernel
  int failed_in_a_row_ = 0;
};

}  // namespace

std::string registration(const SelftestSpec& spec) {
  char text[320];
  std::string slowdowns;
  for (double const slowdown : spec.slowdowns) {
    char one[16];
    std::snprintf(one, sizeof one, "%s+%.3g %%", slowdowns.empty() ? "" : ", ", 100 * slowdown);
    slowdowns += one;
  }
  std::snprintf(
      text, sizeof text,
      "seed %llu: %d comparisons of identical sides, %d at each of %s; margin %.3g %%, intervals of %.3g %%, %d to %d processes, "
      "at most %.3g s of kernel time each; Fuselab %s",
      static_cast<unsigned long long>(spec.seed), spec.identical, spec.slowed, slowdowns.c_str(), 100 * spec.rule.margin,
      100 * (1 - spec.rule.alpha), spec.rule.least_processes, spec.rule.most_processes, spec.rule.budget.count * 1e-9,
      std::string(tool_version()).c_str());
  return text;
}

Result<SelftestReport> run_selftest(const Config& config, const SelftestSpec& spec,
                                    const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop) {
  return Selftest(config, spec).run(on_trial, std::move(stop));
}

std::vector<SelftestRates> rates_of(const std::vector<SelftestTrial>& trials, const std::string& kernel) {
  struct Spent {
    std::vector<double> kernel, wall, detectable;
  };
  std::map<double, SelftestRates> rates;
  std::map<double, Spent> spent;
  for (const SelftestTrial& trial : trials) {
    if (!kernel.empty() && trial.kernel != kernel) continue;
    SelftestRates& rate = rates[trial.slowdown];
    rate.slowdown = trial.slowdown;
    rate.failed += trial.judged() ? 0 : 1;
    if (!trial.judged()) continue;
    Verdict const verdict = trial.first.result.verdict;
    bool const counts = trial.slowdown > 0 ? verdict == Verdict::kRegressed : trial.alarmed();
    ++rate.alarmed.trials;
    ++rate.confirmed.trials;
    rate.alarmed.events += counts ? 1 : 0;
    rate.confirmed.events += counts && trial.confirmed() ? 1 : 0;
    rate.equivalent += verdict == Verdict::kEquivalent ? 1 : 0;
    rate.inconclusive += verdict == Verdict::kInconclusive ? 1 : 0;
    spent[trial.slowdown].kernel.push_back(trial.first.result.spent.count * 1e-9);
    spent[trial.slowdown].wall.push_back(trial.wall_seconds);
    double const detectable = trial.first.result.minimum_detectable;
    if (std::isfinite(detectable)) spent[trial.slowdown].detectable.push_back(detectable);
  }
  std::vector<SelftestRates> all;
  for (auto& [slowdown, rate] : rates) {
    rate.kernel_seconds = summarize(spent[slowdown].kernel).median;
    rate.wall_seconds = summarize(spent[slowdown].wall).median;
    rate.minimum_detectable = summarize(spent[slowdown].detectable).median;
    all.push_back(rate);
  }
  return all;
}

}  // namespace fuselab::session
