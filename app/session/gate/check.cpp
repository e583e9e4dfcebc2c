// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/check.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "app/session/gate/against.h"
#include "app/session/gate/baseline_kernel.h"
#include "app/session/gate/gate_bench.h"
#include "app/session/gate/historical.h"
#include "app/session/gate/judgement.h"
#include "app/session/gate/known_rate.h"
#include "app/session/gate/repository.h"
#include "app/session/gate/usable_baseline.h"
#include "app/session/gate/utc_dates.h"
#include "app/session/gate/whole_plan.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/kernel/nan_loss.h"

namespace fuselab::session {
namespace {

using Clock = std::chrono::steady_clock;

double elapsed_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How a case ends that could not be looked at, by what kept it.
CaseState state_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound: return CaseState::kMisconfigured;
    case ErrorCode::kUnavailable:
    case ErrorCode::kBusy:
    case ErrorCode::kIo:
    case ErrorCode::kOutOfMemory: return CaseState::kUnfit;
    case ErrorCode::kNumerics: return CaseState::kWrongResult;
    default: return CaseState::kFailed;
  }
}

// Two comparisons of a case never see the same order of rounds.
std::uint64_t seed_of(const CheckSpec& spec, const CaseOutcome& outcome, std::string_view stage) {
  ContentHash const hash =
      IdentityHasher("order").add("case", outcome.name).add("device", outcome.device).add("stage", stage).finish();
  std::uint64_t seed = spec.seed;
  for (std::size_t i = 0; i < 8; ++i) seed = seed * 257 + hash.bytes().at(i);
  return seed;
}

// A kernel that may lose NaN is no like for like of one that keeps it: where one of two is such a kernel, people read it.
std::string nan_mark(const LaunchConfig& config) {
  return loses_nan(config) ? ", loses NaN" : "";
}

constexpr const char* kSameCode = "another identity, the very same machine code";

// How many threads run it is no part of the code; what a library of another version makes of the same plan is other code.
bool same_code(const CompiledKernel& left, const CompiledKernel& right) {
  return left.binary.data == right.binary.data && left.abi == right.abi && left.config == right.config &&
         left.identity.library == right.identity.library && left.identity.library_version == right.identity.library_version;
}

class Check {
 public:
  // Either a baseline's file or a commit.
  Check(const CheckSpec& spec, GateBench& bench, UsableBaseline file, const Against* against)
      : spec_(spec), bench_(bench), file_(std::move(file)), baseline_(file_.baseline), against_(against) {}

  Result<CheckRun> run(const std::function<void(const CaseOutcome&, std::size_t)>& on_case) {
    auto const start = Clock::now();
    CheckReport report;
    report.tool_version = tool_version();
    report.commit = commit_of(spec_.config.folder);
    report.started_at = utc_now();
    report.environment = bench_.environment();
    FL_TRY(auto const chosen, chosen_cases(spec_.config, spec_.cases));
    if (!spec_.selftest.empty()) {
      auto const known = recorded_false_alarms(spec_.selftest, bench_.device_uuids());
      if (known.ok()) report.false_alarms = known.value();
      // Of another machine's self-test: a side note less, and no reason to check nothing.
      if (!known.ok() && known.error().code != ErrorCode::kUnavailable) return known.error();
      if (!known.ok()) report.environment.emplace_back("self-test", "left out: " + known.error().message);
    }
    for (const CheckCase& of : chosen) {
      std::size_t const before = cases_.size();
      FL_TRY_VOID(compare_case(of));
      for (std::size_t i = before; i < cases_.size() && on_case; ++i) on_case(cases_[i].outcome, i + 1);
    }
    FL_TRY_VOID(confirm_suspects());
    report.wall_seconds = elapsed_since(start);
    std::string const unused = unused_kernels();
    if (!unused.empty()) report.environment.emplace_back(kUnusedKernels, unused);
    if (spec_.reproduce) report.reproduce = spec_.reproduce("");
    return CheckRun{std::move(report), std::move(cases_), usual_fail_on()};
  }

 private:
  // Kernels that were kept for nothing: a case that was renamed or taken out. Of a run of some cases nothing can be said.
  std::string unused_kernels() const {
    if (!spec_.cases.empty() || !spec_.devices.empty() || !spec_.target.empty()) return "";
    constexpr std::size_t kNamed = 5;
    std::string names;
    std::size_t count = 0;
    for (const BaselineKernel& each : baseline_.kernels) {
      if (used_.contains(&each)) continue;
      if (++count <= kNamed)
        names += (names.empty() ? "" : ", ") + (each.piece.empty() ? each.case_name : each.piece) + " on " + each.device_id;
    }
    return count <= kNamed ? names : names + " and " + std::to_string(count - kNamed) + " more";
  }

  CheckedCase& add(const CheckCase& of, const std::string& name, const DeviceInfo& device) {
    CheckedCase& made = add(of, name, device.id, device.backend);
    made.outcome.device_uuid = device.uuid;
    return made;
  }

  CheckedCase& add(const CheckCase& of, const std::string& name, const std::string& device, const std::string& backend) {
    CheckedCase& made = cases_.emplace_back();
    made.outcome.name = name;
    made.outcome.subject = of.subject + (of.shape.empty() ? "" : " " + of.shape);
    made.outcome.device = device;
    made.outcome.backend = backend;
    made.outcome.where = of.where;
    made.outcome.margin = of.margin;
    made.rule.margin = of.margin;
    made.rule.budget = of.budget;
    if (spec_.reproduce) made.outcome.reproduce = spec_.reproduce(of.name);
    plans_.emplace_back();
    return made;
  }

  static void end(CheckedCase& made, CaseState state, std::string reason) {
    made.outcome.state = state;
    made.outcome.reason = std::move(reason);
  }

  // An Error only when the run was cancelled: whatever else befalls a case is how it ends.
  Status compare_case(const CheckCase& of) {
    const std::vector<std::string>& wanted = spec_.devices.empty() ? of.devices : spec_.devices;
    auto const devices = bench_.devices(wanted, spec_.target);
    if (!devices.ok()) {
      // A device that is not there is the machine's fault, however it was named.
      end(add(of, of.name, wanted.empty() ? "" : wanted.front(), ""), CaseState::kUnfit, devices.error().message);
      return {};
    }
    for (const DeviceInfo& device : devices.value()) {
      if (against_ != nullptr) {
        FL_TRY_VOID(compare_with_commit(of, device));
        continue;
      }
      auto const items = bench_.items(of, device);
      if (!items.ok()) end(add(of, of.name, device), state_of(items.error().code), items.error().message);
      for (const GateItem& item : items.ok() ? items.value() : std::vector<GateItem>()) {
        auto const start = Clock::now();
        CheckedCase& made = add(of, item.name, device);
        made.outcome.subject = item.subject;
        FL_TRY_VOID(compare_item(of, item, made));
        made.outcome.wall_seconds = elapsed_since(start);
      }
    }
    return {};
  }

  Status compare_item(const CheckCase& of, const GateItem& item, CheckedCase& made) {
    if (bench_.stop().stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    const BaselineKernel* const saved = find_kernel(baseline_, of, item);
    used_.insert(saved);
    auto const chosen = bench_.configuration(of, item, saved);
    if (!chosen.ok()) return failed(made, chosen.error());
    made.outcome.subject +=
        " (" + chosen.value().from + ": " + chosen.value().config.text() + ")" + nan_mark(chosen.value().config);
    if (saved == nullptr) {
      end(made, CaseState::kNoBaseline, file_.none.empty() ? missing_text(baseline_, of, item) : file_.none);
      return {};
    }
    std::string const origin = baseline_.origin() + nan_mark(saved->kernel.config);
    std::string const kind(name_of(spec_.baseline_mode));
    made.outcome.baseline = BaselineUsed{kind, origin, baseline_.commit, saved->device_uuid, false, file_.note};
    auto const identity = bench_.identify(item, chosen.value().config);
    if (!identity.ok()) return failed(made, identity.error());
    if (spec_.drill == 0 && identity.value().kernel_id() == saved->kernel.kernel_id()) {
      made.outcome.state = CaseState::kSame;
      return {};
    }
    if (spec_.baseline_mode == BaselineMode::kHistorical) return compare_with_times(made, item, *saved, chosen.value().config);
    auto const baseline = runnable(bench_, *saved, item, identity.value().identity);
    if (!baseline.ok() && baseline.error().code == ErrorCode::kCancelled) return baseline.error();
    if (!baseline.ok()) {
      end(made, CaseState::kNoBaseline, baseline.error().message);
      return {};
    }
    made.outcome.baseline->recompiled = baseline.value().recompiled;
    if (!baseline.value().note.empty()) made.outcome.reason = baseline.value().note;
    auto candidate = bench_.compile(item, chosen.value().config);
    if (!candidate.ok()) return failed(made, candidate.error());
    if (spec_.drill == 0 && same_code(candidate.value(), baseline.value().kernel)) {
      std::string const note = made.outcome.reason.empty() ? "" : made.outcome.reason + "; ";
      end(made, CaseState::kSame, note + kSameCode);
      return {};
    }
    const Graph& graph = item.piece.operation.graph;
    return replay(made, item.device, whole_graph_plan("", graph, baseline.value().kernel),
                  whole_graph_plan("", graph, std::move(candidate).value()));
  }

  // Against the times that the file keeps: the baseline's kernel is not run, so it need not run here.
  Status compare_with_times(CheckedCase& made, const GateItem& item, const BaselineKernel& saved, const LaunchConfig& config) {
    auto candidate = bench_.compile(item, config);
    if (!candidate.ok()) return failed(made, candidate.error());
    if (spec_.drill == 0 && same_code(candidate.value(), saved.kernel)) {
      end(made, CaseState::kSame, kSameCode);
      return {};
    }
    auto stored = stored_times(saved, bench_.machine(item.device), spec_.cross_machine);
    if (!stored.ok()) {
      end(made, CaseState::kNoBaseline, baseline_.origin() + ": " + stored.error().message);
      return {};
    }
    std::string& note = made.outcome.baseline->note;
    note = stored.value().note + (note.empty() ? "" : "; " + note);
    made.outcome.baseline->other_machine = stored.value().other_machine;
    made.past = std::move(stored.value().sessions);
    return replay(made, item.device, {}, whole_graph_plan("", item.piece.operation.graph, std::move(candidate).value()));
  }

  // The case as a whole: of a model that changed the pieces of then are not those of now.
  Status compare_with_commit(const CheckCase& of, const DeviceInfo& device) {
    auto const now = bench_.subjects(of, device);
    if (!now.ok()) end(add(of, of.name, device), state_of(now.error().code), now.error().message);
    const CheckCase& of_then = against_->as_it_was(of);
    std::error_code ignored;
    bool const absent = !of.file.empty() && (of_then.file.empty() || !std::filesystem::exists(of_then.file, ignored));
    auto const then = absent ? Error{ErrorCode::kNotFound, of.subject + " is not there"} : bench_.subjects(of_then, device);
    for (std::size_t i = 0; i < (now.ok() ? now.value().size() : 0); ++i) {
      auto const start = Clock::now();
      CheckedCase& made = add(of, now.value()[i].name, device);
      made.outcome.subject = now.value()[i].text;
      made.outcome.baseline = BaselineUsed{"paired", against_->origin(), against_->commit(), device.uuid, false};
      if (!then.ok() || i >= then.value().size()) {
        std::string const why = then.ok() ? "the case had other extents" : then.error().message;
        end(made, CaseState::kNoBaseline, "at " + against_->origin() + ": " + why);
        continue;
      }
      FL_TRY_VOID(compare_subjects(made, of, device, then.value()[i], now.value()[i]));
      made.outcome.wall_seconds = elapsed_since(start);
    }
    return {};
  }

  Status compare_subjects(CheckedCase& made, const CheckCase& of, const DeviceInfo& device, const GateSubject& then,
                          const GateSubject& now) {
    if (bench_.stop().stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    if (spec_.drill == 0 && graph_key(then.workpiece.subject.graph) == graph_key(now.workpiece.subject.graph)) {
      made.outcome.state = CaseState::kSame;
      return {};
    }
    auto candidate = whole_plan(bench_, of, device, now);
    if (!candidate.ok()) return failed(made, candidate.error());
    auto baseline = whole_plan(bench_, of, device, then);
    if (!baseline.ok() && baseline.error().code == ErrorCode::kCancelled) return baseline.error();
    if (!baseline.ok()) {
      end(made, CaseState::kNoBaseline, "at " + against_->origin() + ": " + baseline.error().message);
      return {};
    }
    return replay(made, device, std::move(baseline).value(), std::move(candidate).value());
  }

  // Holds the two against each other, and keeps how, for a confirmation.
  Status replay(CheckedCase& made, const DeviceInfo& device, Plan baseline, Plan candidate) {
    ReplaySpec replay;
    replay.device = device;
    replay.baseline = std::move(baseline);
    replay.candidate = std::move(candidate);
    replay.baseline.label = "baseline";
    replay.candidate.label = "candidate";
    replay.rule = made.rule;
    replay.seed = seed_of(spec_, made.outcome, "first");
    replay.candidate.handicap = spec_.drill;
    auto measured = measured_as(replay, made.past);
    if (!measured.ok()) return failed(made, measured.error());
    made.first = std::move(measured).value();
    plans_.back() = std::move(replay);
    return {};
  }

  Result<Replay> measured_as(const ReplaySpec& replay, std::span<const SessionSamples> past) {
    return past.empty() ? replay_in_pairs(bench_.workers(), replay, bench_.stop())
                        : measure_beside_past(bench_.workers(), replay, past, bench_.stop());
  }

  static Status failed(CheckedCase& made, const Error& error) {
    if (error.code == ErrorCode::kCancelled) return error;
    // What the baseline's own kernel does here is nobody's regression.
    bool const of_baseline = error.message.rfind("baseline: ", 0) == 0 && state_of(error.code) != CaseState::kUnfit;
    end(made, of_baseline ? CaseState::kNoBaseline : state_of(error.code), error.message);
    return {};
  }

  Status confirm_suspects() {
    std::size_t const comparisons = comparisons_of(cases_);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      CheckedCase& suspect = cases_[i];
      if (!suspect.is_suspect()) continue;
      auto const start = Clock::now();
      ReplaySpec& replay = plans_[i];
      replay.rule = confirmation_rule(suspect.rule, comparisons);
      replay.seed = seed_of(spec_, suspect.outcome, "confirmation");
      auto measured = measured_as(replay, suspect.past);
      if (!measured.ok() && measured.error().code == ErrorCode::kCancelled) return measured.error();
      if (measured.ok()) {
        suspect.confirmation = std::move(measured).value();
      } else {
        suspect.unconfirmed_because = measured.error().message;
        suspect.instead = state_of(measured.error().code);
      }
      suspect.outcome.wall_seconds += elapsed_since(start);
    }
    return {};
  }

  const CheckSpec& spec_;
  GateBench& bench_;
  UsableBaseline file_;
  const Baseline& baseline_;              // its own
  const Against* against_;                // null: the baseline
  std::set<const BaselineKernel*> used_;  // of the baseline's
  std::vector<CheckedCase> cases_;
  std::vector<ReplaySpec> plans_;  // one per case; of those that were compared
};

}  // namespace

Result<std::vector<CheckCase>> chosen_cases(const CheckConfig& config, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool const known =
        std::any_of(config.cases.begin(), config.cases.end(), [&](const CheckCase& each) { return each.name == name; });
    if (known) continue;
    std::string all;
    for (const CheckCase& each : config.cases) all += (all.empty() ? "" : ", ") + each.name;
    return Error{ErrorCode::kInvalidArgument, "there is no case '" + name + "'; there are " + all.substr(0, 400)};
  }
  if (names.empty()) return config.cases;
  std::vector<CheckCase> chosen;
  for (const CheckCase& each : config.cases) {
    if (std::find(names.begin(), names.end(), each.name) != names.end()) chosen.push_back(each);
  }
  return chosen;
}

Result<CheckRun> run_check(const Config& config, const CheckSpec& spec,
                           const std::function<void(const CaseOutcome& outcome, std::size_t done)>& on_case, std::stop_token stop) {
  FL_TRY(auto const chosen, chosen_cases(spec.config, spec.cases));
  FL_TRY(std::unique_ptr<GateBench> const bench, GateBench::open(config, chosen, spec.devices, std::move(stop)));
  if (!spec.against.empty()) {
    FL_TRY(std::unique_ptr<Against> const against, Against::open(spec.config, spec.against, bench->stop()));
    return Check(spec, *bench, {}, against.get()).run(on_case);
  }
  FL_TRY(UsableBaseline file, usable_baseline(spec.baseline, spec.baseline_mode, bench->trust()));
  return Check(spec, *bench, std::move(file), nullptr).run(on_case);
}

}  // namespace fuselab::session
