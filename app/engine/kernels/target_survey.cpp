// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/target_survey.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "app/engine/kernels/workshop.h"
#include "app/engine/subject/piece.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::engine {
namespace {

// What the texts of a backend run on without a device.
std::string matcher_of(const std::string& backend) {
  return backend == "cuda" || backend == "rocm" ? "emulator" : backend == "triton" ? "interpreter" : "";
}

// Distinct pieces of all models, and what each is on each target. Equal pieces of several models are made once.
class Surveyor {
 public:
  Surveyor(WorkerPool& pool, const std::vector<VirtualTarget>& targets, OptimizationLevel level, bool match,
           const TargetSurveyProgress& progress, std::stop_token stop)
      : pool_(pool), match_(match), progress_(progress), stop_(std::move(stop)) {
    for (const VirtualTarget& target : targets) workshops_.emplace_back(pool, target, level);
  }

  void run(const std::vector<FusedModel>& models) {
    std::vector<const Piece*> distinct;
    for (const FusedModel& model : models) {
      for (const Piece& piece : model.pieces) {
        auto [made, is_new] = made_.try_emplace(piece.key, workshops_.size());
        if (is_new) distinct.push_back(&piece);
      }
    }
    const int all = static_cast<int>(distinct.size());
    for_each_at_once(distinct.size(), [&](std::size_t index) { make(*distinct[index], all); });
  }

  // Returns what became of a piece on the target of this index.
  TargetPiece of(const Piece& piece, std::size_t target) const {
    TargetPiece found = made_.at(piece.key)[target];
    found.key = piece.key;
    found.name = piece.operation.name;
    found.pattern = name_of(piece.operation.pattern);
    found.uses = piece.operation.count;
    return found;
  }

 private:
  // Texts that do not differ between targets are matched once.
  using Matches = std::map<std::string, EmulatedMatch>;

  void make(const Piece& piece, int all) {
    if (stop_.stop_requested()) return;
    Matches matches;
    for (std::size_t target = 0; target < workshops_.size(); ++target)
      made_.at(piece.key)[target] = made(workshops_[target], piece, matches);
    const std::lock_guard lock(mutex_);
    if (progress_) progress_(++done_, all, piece.operation.name);
  }

  TargetPiece made(Workshop& workshop, const Piece& piece, Matches& matches) {
    using State = TargetPiece::State;
    TargetPiece made;
    const auto ended = [&](State state, Error problem) {
      made.state = problem.code == ErrorCode::kCancelled ? State::kNotReached : state;
      made.problem = std::move(problem);
      return made;
    };
    const bool is_barrier = piece.operation.pattern == FusionPatternType::kOpaque;
    if (!piece.not_measured.empty())
      return ended(is_barrier ? State::kRefused : State::kRunsNothing, {ErrorCode::kUnsupported, piece.not_measured});
    const Graph& graph = piece.operation.graph;
    const auto described = workshop.describe(graph, stop_);
    if (!described.ok()) return ended(State::kNotWritten, described.error());
    if (!described.value().support.yes) return ended(State::kRefused, {ErrorCode::kUnavailable, described.value().support.why_not});
    made.kernel.config = described.value().default_config;
    made.kernel.is_default = true;
    const auto written = workshop.write(graph, made.kernel.config, stop_);
    if (!written.ok()) return ended(State::kNotWritten, written.error());
    const auto compiled = workshop.compile(graph, made.kernel.config, stop_);
    made.kernel = compiled_config(made.kernel.config, compiled, workshop.target());
    made.kernel.is_default = true;
    made.state = State::kCompiled;
    if (!compiled.ok()) ended(State::kNotCompiled, compiled.error());
    match(workshop, graph, written.value().identity.source.hex(), matches, made);
    return made;
  }

  void match(Workshop& workshop, const Graph& graph, const std::string& text, Matches& matches, TargetPiece& made) {
    if (!match_ || matcher_of(workshop.backend()).empty() || stop_.stop_requested()) return;
    auto known = matches.find(text);
    if (known == matches.end())
      known = matches.emplace(text, match_emulated(pool_, graph, workshop.backend(), workshop.target(), stop_)).first;
    made.match = known->second;
  }

  WorkerPool& pool_;
  std::vector<Workshop> workshops_;  // one per target
  bool match_;
  const TargetSurveyProgress& progress_;
  std::stop_token stop_;
  std::map<std::string, std::vector<TargetPiece>> made_;  // by the piece's key, per target; each entry has one writer
  std::mutex mutex_;
  int done_ = 0;
};

// Each target with each backend that writes for it, once.
Result<std::vector<VirtualTarget>> targets_of(const TargetSurveySpec& spec) {
  if (spec.targets.empty()) return invalid_argument("a survey that compiles only needs a target: --target sm_90");
  std::vector<VirtualTarget> targets;
  for (const std::string& name : spec.targets) {
    FL_TRY(const VirtualTarget target, virtual_target(name));
    for (const std::string& backend : spec.backends.empty() ? std::vector{target.backend} : spec.backends) {
      const bool is_new = std::none_of(targets.begin(), targets.end(), [&](const VirtualTarget& each) {
        return each.target.id == target.target.id && each.backend == backend;
      });
      if (is_new) targets.push_back({target.target, backend});
    }
  }
  return targets;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Returns why nothing at all is written for a target where pieces wait for it.
Status nothing_written(const TargetSurvey& survey) {
  const TargetTotals totals = survey.totals();
  if (totals.pieces == 0 || totals.written > 0 || totals.not_reached > 0) return {};
  for (const TargetPiece& piece : survey.pieces) {
    if (piece.state == TargetPiece::State::kRefused && piece.pattern != name_of(FusionPatternType::kOpaque))
      return Error{ErrorCode::kUnavailable,
                   "nothing was written for " + survey.target.id + " by " + survey.backend + ": " + piece.note()};
  }
  return {};
}

}  // namespace

std::string TargetPiece::result() const {
  switch (state) {
    case State::kRunsNothing: return "runs nothing";
    case State::kRefused: return "refused";
    case State::kNotWritten: return "not written";
    case State::kNotReached: return "not reached";
    case State::kNotCompiled: return is_wrong() ? "wrong, not compiled" : "not compiled";
    case State::kCompiled: break;
  }
  if (is_wrong()) return "wrong";
  if (!kernel.launches) return "would not launch";
  return is_matched() ? "matched" : "compiled";
}

std::string TargetPiece::note() const {
  if (is_wrong()) return first_line(match->detail) + (match->extents.empty() ? "" : ", at " + match->extents);
  if (state != State::kCompiled) return first_line(problem.message);
  if (!kernel.problem.empty()) return kernel.problem;
  return match && !is_matched() ? "not matched: " + first_line(match->detail) : std::string();
}

Status TargetPiece::outcome() const {
  if (is_wrong()) return Error{ErrorCode::kNumerics, note()};
  if (state == State::kNotWritten || state == State::kNotCompiled) return problem;
  if (state == State::kCompiled && !kernel.launches) return Error{ErrorCode::kLaunchFailed, kernel.problem};
  return {};
}

TargetTotals TargetSurvey::totals() const {
  TargetTotals totals;
  for (const TargetPiece& piece : pieces) {
    if (piece.state == TargetPiece::State::kRunsNothing) {
      ++totals.run_nothing;
      continue;
    }
    const bool compiled = piece.state == TargetPiece::State::kCompiled;
    const auto resource = [&](const char* name) {
      const auto found = piece.kernel.resources.find(name);
      return found == piece.kernel.resources.end() ? 0 : found->second;
    };
    ++totals.pieces;
    totals.uses += piece.uses;
    totals.written += piece.is_written() ? 1 : 0;
    totals.written_uses += piece.is_written() ? piece.uses : 0;
    totals.compiled += compiled ? 1 : 0;
    totals.compiled_uses += compiled ? piece.uses : 0;
    totals.matched += piece.is_matched() ? 1 : 0;
    totals.wrong += piece.is_wrong() ? 1 : 0;
    totals.spilling += resource("spill_bytes") > 0 ? 1 : 0;
    totals.kernels += resource("kernels");
    totals.library_calls += resource("calls");
    totals.not_reached += piece.state == TargetPiece::State::kNotReached ? 1 : 0;
    totals.compile_time.count += piece.kernel.compile_time.count;
  }
  return totals;
}

std::string TargetSurvey::compiler() const {
  for (const TargetPiece& piece : pieces) {
    if (!piece.kernel.compiler.empty()) return piece.kernel.compiler;
  }
  return "";
}

std::string TargetSurvey::matcher() const {
  return matcher_of(backend);
}

Status TargetSurveyReport::outcome() const {
  std::optional<Error> gravest;
  int failures = 0;
  for (const TargetSurvey& survey : models) {
    for (const TargetPiece& piece : survey.pieces) {
      const Status outcome = piece.outcome();
      if (outcome.ok()) continue;
      ++failures;
      if (gravest && (gravest->code == ErrorCode::kNumerics || !piece.is_wrong())) continue;
      gravest = Error{outcome.error().code, survey.model + " for " + survey.target.id + " by " + survey.backend + ": " +
                                                piece.name + ": " + piece.result() + ": " + piece.note()};
    }
  }
  if (failures > 1) gravest->message += "; " + std::to_string(failures - 1) + " more failed";
  if (gravest) return *gravest;
  if (stopped) return Error{ErrorCode::kCancelled, "interrupted; the pieces that are not reached stand as such"};
  if (!unread.empty()) return unread.front().problem.within(unread.front().subject);
  for (const TargetSurvey& survey : models) FL_TRY_VOID(nothing_written(survey));
  return {};
}

Result<TargetSurveyReport> survey_targets(const Config& config, const TargetSurveySpec& spec, const TargetSurveyProgress& progress,
                                          const std::stop_token& stop) {
  FL_TRY(const auto targets, targets_of(spec));
  FL_TRY(const DType dtype, parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  const std::vector<std::string> names = spec.subjects.empty() ? default_subjects() : spec.subjects;
  FL_TRY(const auto bindings, shape_of_each(names, spec.bindings, config.model_links));
  TargetSurveyReport report;
  std::vector<FusedModel> models;
  for (std::size_t index = 0; index < names.size() && !stop.stop_requested(); ++index) {
    auto cut_here = cut_subject(config, names[index], bindings[index], dtype, level);
    if (!cut_here.ok()) {
      report.unread.push_back({names[index], cut_here.error()});
      continue;
    }
    for (FusedModel& model : cut_here.value()) models.push_back(std::move(model));
  }
  WorkerPool pool(compile_pool_options(config));
  Surveyor surveyor(pool, targets, level, spec.match, progress, stop);
  surveyor.run(models);
  for (const FusedModel& model : models) {
    for (std::size_t target = 0; target < targets.size(); ++target) {
      TargetSurvey survey{model.subject.name, model.subject.binding, targets[target].target, targets[target].backend, {}};
      for (const Piece& piece : model.pieces) survey.pieces.push_back(surveyor.of(piece, target));
      report.models.push_back(std::move(survey));
    }
  }
  report.stopped = stop.stop_requested();
  return report;
}

}  // namespace fuselab::engine
