// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/check.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "app/gate/baseline/baseline_kernel.h"
#include "app/gate/baseline/gate_kernels.h"
#include "app/gate/baseline/same_code.h"
#include "app/gate/baseline/usable_baseline.h"
#include "app/gate/check/against.h"
#include "app/gate/check/asked_kernels.h"
#include "app/gate/check/case_plans.h"
#include "app/gate/check/command_sides.h"
#include "app/gate/check/expected_power.h"
#include "app/gate/check/known_rate.h"
#include "app/gate/check/reference_kernel.h"
#include "app/gate/check/whole_plan.h"
#include "app/gate/judge/error_state.h"
#include "app/gate/judge/historical.h"
#include "app/gate/judge/judgement.h"
#include "app/gate/judge/timers_used.h"
#include "app/gate/source/repository.h"
#include "app/gate/source/utc_dates.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab::engine {
namespace {

using Clock = std::chrono::steady_clock;

double elapsed_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns a seed such that two comparisons of a case never use the same order of rounds.
std::uint64_t seed_of(const CheckSpec& spec, const CaseOutcome& outcome, std::string_view stage) {
  const ContentHash hash =
      IdentityHasher("order").add("case", outcome.name).add("device", outcome.device).add("stage", stage).finish();
  std::uint64_t seed = spec.seed;
  for (std::size_t i = 0; i < 8; ++i) seed = seed * 257 + hash.bytes().at(i);
  return seed;
}

// A kernel with a drawback is not comparable with one without it, so the text says where one of the two is such a kernel.
std::string drawback_mark(const LaunchConfig& config) {
  const Drawbacks drawbacks = drawbacks_of(config);
  return drawbacks.empty() ? "" : ", " + verbs_of(drawbacks);
}

constexpr const char* kInterrupted = "the run was interrupted before it was compared";
constexpr const char* kItself = "itself, as a null control";
constexpr const char* kSameCode = "another identity, the very same machine code";

class Check {
 public:
  // Compares either with a baseline's file or with a commit.
  Check(const CheckSpec& spec, GateKernels& kernels, UsableBaseline file, const Against* against)
      : spec_(spec),
        kernels_(kernels),
        file_(std::move(file)),
        baseline_(file_.baseline),
        against_(against),
        plans_(kernels.workers(), kernels.stop()),
        power_(kernels.workers(), spec.on_note) {}

  Result<CheckRun> run(const std::function<void(const CaseOutcome&, std::size_t)>& on_case) {
    const auto start = Clock::now();
    CheckReport report;
    report.tool_version = tool_version();
    report.commit = commit_of(spec_.config.folder);
    report.started_at = utc_now();
    report.environment = kernels_.environment();
    FL_TRY(const auto chosen, chosen_cases(spec_.config, spec_.cases));
    for (const CheckCase& of : chosen) {
      const std::size_t before = cases_.size();
      compare_case(of);
      for (std::size_t i = before; i < cases_.size() && on_case; ++i) on_case(cases_[i].outcome, i + 1);
    }
    spend_leftover(cases_, plans_, kernels_.stop());
    interrupted_ = interrupted_ || kernels_.stop().stop_requested();
    for (auto& not_timed : time_references(kernels_.workers(), plans_.replays(), cases_, kernels_.stop()))
      report.environment.push_back(std::move(not_timed));
    for (auto& said : power_.said()) report.environment.push_back(std::move(said));
    for (auto& timer : timers_used(plans_.replays(), cases_)) report.environment.push_back(std::move(timer));
    confirm_suspects();
    interrupted_ = interrupted_ || kernels_.stop().stop_requested();
    report.wall_seconds = elapsed_since(start);
    const std::string unused = interrupted_ ? "" : unused_kernels();
    if (!unused.empty()) report.environment.emplace_back(kUnusedKernels, unused);
    if (spec_.reproduce) report.reproduce = spec_.reproduce("");
    return CheckRun{std::move(report), std::move(cases_), usual_fail_on(), interrupted_};
  }

 private:
  // Returns the kernels that no case uses; empty for a run of only some cases, which cannot tell.
  std::string unused_kernels() const {
    if (!spec_.cases.empty() || !spec_.devices.empty() || !spec_.target.empty()) return "";
    return asked_.unused(spec_.config.cases, baseline_);
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
    made.outcome.detect = of.detect;
    const auto drilled = spec_.drills.find(of.name);
    made.outcome.drill = drilled == spec_.drills.end() ? spec_.drill : drilled->second;
    made.outcome.null_control = spec_.null_control;
    made.rule.margin = of.margin;
    made.rule.budget = of.budget;
    if (spec_.reproduce) made.outcome.reproduce = spec_.reproduce(of.name);
    plans_.add_case();
    return made;
  }

  static void end(CheckedCase& made, CaseState state, std::string reason) {
    made.outcome.state = state;
    made.outcome.reason = std::move(reason);
  }

  static void add_note(BaselineUsed& used, const std::string& note) {
    if (!note.empty()) used.note += (used.note.empty() ? "" : "; ") + note;
  }

  // Ends a case whose turn did not come before the stop.
  void leave_open(CheckedCase& made) {
    interrupted_ = true;
    end(made, CaseState::kInconclusive, kInterrupted);
  }

  void compare_case(const CheckCase& of) {
    if (of.command.is_set()) return compare_command(of);
    const std::vector<std::string>& wanted = spec_.devices.empty() ? of.devices : spec_.devices;
    // The subject is not read any more, since reading a model may take a while.
    if (kernels_.stop().stop_requested()) return leave_open(add(of, of.name, wanted.empty() ? "" : wanted.front(), ""));
    const auto devices = kernels_.devices(wanted, spec_.target);
    if (!devices.ok()) {
      // A missing device is the machine's fault, however it was named.
      end(add(of, of.name, wanted.empty() ? "" : wanted.front(), ""), CaseState::kUnfit, devices.error().message);
      return;
    }
    for (const DeviceInfo& device : devices.value()) {
      if (kernels_.stop().stop_requested()) {
        leave_open(add(of, of.name, device));
        continue;
      }
      if (against_ != nullptr) {
        compare_with_commit(of, device);
        continue;
      }
      const auto items = kernels_.items(of, device);
      if (!items.ok()) end(add(of, of.name, device), state_of(items.error().code), items.error().message);
      if (items.ok()) asked_.mark_seen(of, device.id);
      for (const GateItem& item : items.ok() ? items.value() : std::vector<GateItem>()) {
        const auto start = Clock::now();
        CheckedCase& made = add(of, item.name, device);
        made.outcome.subject = item.subject;
        if (!compare_item(of, item, made).ok()) leave_open(made);
        made.outcome.wall_seconds = elapsed_since(start);
      }
    }
    if (against_ == nullptr) name_missing_devices(of, wanted);
  }

  void compare_command(const CheckCase& of) {
    const auto start = Clock::now();
    CheckedCase& made = add(of, of.name, "", std::string(kCommandBackend));
    made.outcome.configuration = words_of(of.command.time);
    made.rule = CommandPair::command_rule(made.rule);
    if (!compare_sides(of, made).ok()) leave_open(made);
    made.outcome.wall_seconds = elapsed_since(start);
  }

  // Returns an Error only when the run was cancelled.
  Status compare_sides(const CheckCase& of, CheckedCase& made) {
    if (kernels_.stop().stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    BaselineUsed used{"paired", "", "", "", false};
    if (spec_.null_control) used.origin = kItself;
    auto sides = spec_.null_control ? Result<CommandPair>(CommandPair{of.command, of.command}) : command_sides(of, against_, used);
    if (!used.origin.empty()) made.outcome.baseline = std::move(used);
    if (!sides.ok()) {
      end(made, CaseState::kNoBaseline, sides.error().message);
      return {};
    }
    CommandPair pair = std::move(sides).value();
    pair.rule = made.rule;
    pair.seed = seed_of(spec_, made.outcome, "first");
    pair.handicap = made.outcome.drill;
    CommandTrouble trouble;
    auto measured = plans_.compare(cases_.size() - 1, std::move(pair), trouble);
    made.outcome.output = std::move(trouble.output);
    if (!measured.ok()) return failed(made, measured.error(), trouble.side);
    made.first = std::move(measured).value();
    return {};
  }

  // Ends a case for each missing device. Otherwise "every device" and "every cuda device" would pass without a device that was
  // there when the baseline was saved.
  void name_missing_devices(const CheckCase& of, const std::vector<std::string>& wanted) {
    for (const std::string& id : asked_.missed_devices(of, wanted, baseline_)) {
      // The device exists but is not among "every device", as a processor through OpenCL: its kernels are not asked for.
      if (kernels_.has(id)) {
        asked_.mark_seen(of, id);
      } else {
        end(add(of, of.name, id, id.substr(0, id.find(':'))), CaseState::kUnfit,
            id + ", which the baseline was saved on, is not here; name the case's devices, or save the baseline anew without it");
      }
    }
  }

  std::set<std::string> case_names() const {
    std::set<std::string> names;
    for (const CheckCase& each : spec_.config.cases) names.insert(each.name);
    return names;
  }

  // Returns an Error only when the run was cancelled.
  Status compare_item(const CheckCase& of, const GateItem& item, CheckedCase& made) {
    if (kernels_.stop().stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    const BaselineKernel* const saved = find_kernel(baseline_, of, item);
    asked_.mark_used(saved);
    const auto chosen = kernels_.configuration(of, item, saved);
    if (!chosen.ok()) return failed(made, chosen.error());
    made.outcome.configuration = chosen.value().from + ": " + chosen.value().config.text() + drawback_mark(chosen.value().config);
    if (spec_.null_control) return compare_with_itself(made, item, chosen.value().config);
    if (saved == nullptr) {
      const MissingKernel missing =
          file_.none.empty() ? missing_kernel(baseline_, of, item, case_names()) : MissingKernel{file_.state, file_.none};
      end(made, missing.state, missing.reason);
      return {};
    }
    const std::string origin = baseline_.origin() + drawback_mark(saved->kernel.config);
    const std::string kind(name_of(spec_.baseline_mode));
    made.outcome.baseline = BaselineUsed{kind, origin, baseline_.commit, saved->device_uuid, false, file_.note};
    made.outcome.baseline->kernel = saved->kernel.kernel_id();
    made.outcome.baseline->configuration = saved->kernel.config.text();
    add_note(*made.outcome.baseline, elsewhere_note(*saved, item));
    const auto identity = kernels_.identify(item, chosen.value().config);
    if (!identity.ok()) return failed(made, identity.error());
    if (made.outcome.drill == 0 && identity.value().kernel_id() == saved->kernel.kernel_id()) {
      made.outcome.state = CaseState::kSame;
      return {};
    }
    if (spec_.baseline_mode == BaselineMode::kHistorical) return compare_with_times(made, item, *saved, chosen.value().config);
    const auto baseline = runnable(kernels_, *saved, item, identity.value().identity);
    if (!baseline.ok() && baseline.error().code == ErrorCode::kCancelled) return baseline.error();
    if (!baseline.ok()) {
      end(made, CaseState::kNoBaseline, baseline.error().message);
      return {};
    }
    made.outcome.baseline->recompiled = baseline.value().recompiled;
    if (!baseline.value().note.empty()) made.outcome.reason = baseline.value().note;
    auto candidate = kernels_.compile(item, chosen.value().config);
    if (!candidate.ok()) return failed(made, candidate.error());
    if (made.outcome.drill == 0 && same_code(candidate.value(), baseline.value().kernel)) {
      const std::string note = made.outcome.reason.empty() ? "" : made.outcome.reason + "; ";
      end(made, CaseState::kSame, note + kSameCode);
      return {};
    }
    const Graph& graph = item.piece.operation.graph;
    return replay(made, item.device, whole_graph_plan("", graph, baseline.value().kernel),
                  whole_graph_plan("", graph, std::move(candidate).value()));
  }

  Status compare_with_itself(CheckedCase& made, const GateItem& item, const LaunchConfig& config) {
    made.outcome.baseline = BaselineUsed{"paired", kItself, "", item.device.uuid, false};
    const auto kernel = kernels_.compile(item, config);
    if (!kernel.ok()) return failed(made, kernel.error());
    const Plan plan = whole_graph_plan("", item.piece.operation.graph, kernel.value());
    return replay(made, item.device, plan, plan);
  }

  // Compares with the times that the file keeps. The baseline's kernel is not run, so it need not run here.
  Status compare_with_times(CheckedCase& made, const GateItem& item, const BaselineKernel& saved, const LaunchConfig& config) {
    auto candidate = kernels_.compile(item, config);
    if (!candidate.ok()) return failed(made, candidate.error());
    if (made.outcome.drill == 0 && same_code(candidate.value(), saved.kernel)) {
      end(made, CaseState::kSame, kSameCode);
      return {};
    }
    auto stored = stored_times(saved, kernels_.machine(item.device), spec_.cross_machine);
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

  // Compares the case as a whole, since a model that changed may have other pieces now than then.
  void compare_with_commit(const CheckCase& of, const DeviceInfo& device) {
    const auto now = kernels_.subjects(of, device);
    if (!now.ok()) end(add(of, of.name, device), state_of(now.error().code), now.error().message);
    const auto of_then = against_->as_it_was(of);
    const auto then = of_then.ok() ? kernels_.subjects(of_then.value(), device) : of_then.error();
    for (std::size_t i = 0; i < (now.ok() ? now.value().size() : 0); ++i) {
      const auto start = Clock::now();
      CheckedCase& made = add(of, now.value()[i].name, device);
      made.outcome.subject = now.value()[i].text;
      made.outcome.baseline = BaselineUsed{"paired", against_->origin(), against_->commit(), device.uuid, false};
      const GateSubject* const before = then.ok() ? counterpart_of(now.value(), i, then.value()) : nullptr;
      if (before == nullptr) {
        const std::string why = then.ok() ? "the case had no such element type or extents" : then.error().message;
        end(made, CaseState::kNoBaseline, "at " + against_->origin() + ": " + why);
        continue;
      }
      if (before->text != now.value()[i].text) made.outcome.baseline->note = "there it is " + before->text;
      if (!compare_subjects(made, device, {of_then.value(), *before}, {of, now.value()[i]}).ok()) leave_open(made);
      made.outcome.wall_seconds = elapsed_since(start);
    }
  }

  // The subject of a case at one of the two commits, and the case's lines there.
  struct Side {
    const CheckCase& of;
    const GateSubject& subject;
    // Returns whether everything that the kernels are made from is the same, apart from the machine and Fuselab, which both sides
    // share.
    bool has_same_inputs_as(const Side& other) const {
      return of.launch_config == other.of.launch_config &&
             graph_key(subject.fused_model.subject.graph) == graph_key(other.subject.fused_model.subject.graph);
    }
  };

  Status compare_subjects(CheckedCase& made, const DeviceInfo& device, const Side& then, const Side& now) {
    if (kernels_.stop().stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    if (made.outcome.drill == 0 && then.has_same_inputs_as(now)) {
      made.outcome.state = CaseState::kSame;
      return {};
    }
    auto candidate = whole_plan(kernels_, now.of, device, now.subject);
    if (!candidate.ok()) return failed(made, candidate.error());
    made.outcome.configuration = candidate.value().configuration;
    auto baseline = whole_plan(kernels_, then.of, device, then.subject);
    if (!baseline.ok() && baseline.error().code == ErrorCode::kCancelled) return baseline.error();
    if (!baseline.ok()) {
      end(made, CaseState::kNoBaseline, "at " + against_->origin() + ": " + baseline.error().message);
      return {};
    }
    made.outcome.baseline->configuration = baseline.value().configuration;
    if (made.outcome.drill == 0 && same_kernels(baseline.value().plan, candidate.value().plan)) {
      end(made, CaseState::kSame, "other lines, the very same kernels");
      return {};
    }
    return replay(made, device, std::move(baseline).value().plan, std::move(candidate).value().plan);
  }

  // Compares the two, and keeps the spec for a confirmation.
  Status replay(CheckedCase& made, const DeviceInfo& device, Plan baseline, Plan candidate) {
    ReplaySpec replay;
    if (made.past.empty()) power_.tell(device, made.rule, kernels_.stop());
    replay.device = device;
    replay.baseline = std::move(baseline);
    replay.candidate = std::move(candidate);
    replay.baseline.label = "baseline";
    replay.candidate.label = "candidate";
    replay.rule = made.rule;
    replay.seed = seed_of(spec_, made.outcome, "first");
    replay.candidate.handicap = made.outcome.drill;
    ComparedSide of = ComparedSide::kNeither;
    auto measured = plans_.compare(cases_.size() - 1, std::move(replay), made.past, of);
    if (!measured.ok()) return failed(made, measured.error(), of);
    made.first = std::move(measured).value();
    return {};
  }

  static Status failed(CheckedCase& made, const Error& error, ComparedSide of = ComparedSide::kNeither) {
    if (error.code == ErrorCode::kCancelled) return error;
    // A failure of the baseline's own kernel here is no regression.
    const bool of_baseline = of == ComparedSide::kBaseline && state_of(error.code) != CaseState::kUnfit;
    end(made, of_baseline ? CaseState::kNoBaseline : state_of(error.code), error.message);
    return {};
  }

  void confirm_suspects() {
    const std::size_t comparisons = comparisons_of(cases_);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      CheckedCase& suspect = cases_[i];
      if (!suspect.is_suspect()) continue;
      const auto start = Clock::now();
      auto measured = plans_.again(i, confirmation_rule(suspect.rule, comparisons), seed_of(spec_, suspect.outcome, "confirmation"),
                                   suspect.past, suspect.outcome.output);
      interrupted_ = interrupted_ || (!measured.ok() && measured.error().code == ErrorCode::kCancelled);
      const Status usable = measured.ok() ? measured.value().fitness() : Status(measured.error());
      if (measured.ok()) suspect.confirmation = std::move(measured).value();
      if (!usable.ok()) {
        suspect.unconfirmed_because = usable.error().message;
        suspect.instead = state_of(usable.error().code);
      }
      suspect.outcome.wall_seconds += elapsed_since(start);
    }
  }

  const CheckSpec& spec_;
  GateKernels& kernels_;
  UsableBaseline file_;
  const Baseline& baseline_;  // its own
  const Against* against_;    // null: the baseline's file is used
  AskedKernels asked_;        // those of the baseline that were asked for
  std::vector<CheckedCase> cases_;
  CasePlans plans_;  // one per case
  ExpectedPower power_;
  bool interrupted_ = false;  // a case was left open because of a stop
};

}  // namespace

Result<CheckRun> run_check(const Config& config, const CheckSpec& spec,
                           const std::function<void(const CaseOutcome& outcome, std::size_t done)>& on_case, std::stop_token stop) {
  FL_TRY(const auto chosen, chosen_cases(spec.config, spec.cases));
  std::vector<std::string> drilled;
  for (const auto& [name, share] : spec.drills) drilled.push_back(name);
  FL_TRY([[maybe_unused]] const auto known, chosen_cases(spec.config, drilled));
  for (const std::string& name : drilled) {
    if (!spec.cases.empty() && std::find(spec.cases.begin(), spec.cases.end(), name) == spec.cases.end())
      return invalid_argument("--drill '" + name + "' slows a case that --case leaves out: name it there as well");
  }
  FL_TRY(const KnownRates rates, KnownRates::open(config, spec.selftest));
  FL_TRY(const std::unique_ptr<GateKernels> kernels, GateKernels::open(config, chosen, spec.devices, std::move(stop)));
  CheckRun run;
  if (spec.null_control) {
    FL_TRY(run, Check(spec, *kernels, {}, nullptr).run(on_case));
  } else if (!spec.against.empty()) {
    FL_TRY(const std::unique_ptr<Against> against, Against::open(spec.config, spec.against, kernels->stop()));
    FL_TRY(run, Check(spec, *kernels, {}, against.get()).run(on_case));
  } else {
    FL_TRY(UsableBaseline file, usable_baseline(spec.baseline, spec.baseline_mode, kernels->trust()));
    FL_TRY(run, Check(spec, *kernels, std::move(file), nullptr).run(on_case));
  }
  rates.tell(run);
  return run;
}

}  // namespace fuselab::engine
