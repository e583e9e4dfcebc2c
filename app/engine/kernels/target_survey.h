// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/kernels/compiled_config.h"
#include "app/engine/kernels/emulated_match.h"
#include "app/engine/subject/job_spec.h"

// How far each piece of models comes on targets of which no device is here: written, compiled, matched by an emulator or
// interpreter.
namespace fuselab::engine {

struct TargetSurveySpec {
  std::vector<std::string> subjects;  // as for a job
  std::vector<std::string> bindings;  // one for all subjects or one each
  std::string dtype = "f32";
  std::string level = "O2";
  std::vector<std::string> targets;  // "sm_90"
  // That write for them: "triton". Each writes for every target; empty: the target's own.
  std::vector<std::string> backends = {};
  bool match = true;  // run what is written without a device, where the target's backend has one
};

// One distinct piece of a model on one target, in the default configuration there.
struct TargetPiece {
  enum class State {
    kRunsNothing,  // a view: it needs no kernel
    kRefused,      // a barrier, or nobody writes it for this target
    kNotWritten,   // writing it failed
    kNotCompiled,
    kCompiled,
    kNotReached,  // the survey was stopped before
  };
  std::string key, name, pattern;
  int uses = 1;  // pieces of the model that are equal to it
  State state = State::kNotReached;
  Error problem;                       // why it is refused, not written or not compiled
  CompiledConfig kernel;               // its configuration, where it is written; the rest where it is compiled
  std::optional<EmulatedMatch> match;  // nothing: it was not asked for

  bool is_written() const { return state == State::kNotCompiled || state == State::kCompiled; }
  bool is_matched() const { return match && match->kind == EmulatedMatch::Kind::kMatched; }
  bool is_wrong() const { return match && match->kind == EmulatedMatch::Kind::kWrong; }
  // Returns the one word or two that tell most: "matched", "compiled", "wrong", "would not launch", "refused".
  std::string result() const;
  // Returns what is to be known about that result; empty: nothing.
  std::string note() const;
  // Fails where it was written and does not hold what that promises.
  Status outcome() const;
};

// Sums over the pieces that need a kernel; what is not called a use is counted once per distinct piece.
struct TargetTotals {
  int pieces = 0, uses = 0;
  int written = 0, written_uses = 0;
  int compiled = 0, compiled_uses = 0;
  int matched = 0, wrong = 0;
  int spilling = 0;
  std::int64_t kernels = 0, library_calls = 0;  // of programs whose compiler tells them apart
  int run_nothing = 0;                          // beside them: views
  int not_reached = 0;                          // of them
  Nanoseconds compile_time;
};

// One model on one target.
struct TargetSurvey {
  std::string model, binding;
  Target target;
  std::string backend;
  std::vector<TargetPiece> pieces;  // in the model's order

  TargetTotals totals() const;
  std::string compiler() const;  // "nvrtc 13.0"; empty where nothing was compiled
  std::string matcher() const;   // what its texts are run on without a device: "emulator", "interpreter"; empty: nothing
};

struct TargetSurveyReport {
  std::vector<TargetSurvey> models;  // model by model, target by target, backend by backend
  struct Unread {
    std::string subject;
    Error problem;
  };
  std::vector<Unread> unread;  // subjects that could not be read or cut
  bool stopped = false;

  // Returns success, or the gravest that happened: a wrong result, then what is written and not compiled, then a stop, then a
  // subject that was not read, then a target for which nothing is written.
  Status outcome() const;
};

// Told after each piece; of one thread at a time.
using TargetSurveyProgress = std::function<void(int done, int all, const std::string& piece)>;

// Writes and compiles each distinct piece for each target in worker processes, and blocks until all is done or a stop is requested.
// Nothing is measured, nothing is stored. What goes wrong with a piece or a subject is part of the report.
// Fails for what the spec itself gets wrong: no target, an unknown one, a shape that no subject has.
Result<TargetSurveyReport> survey_targets(const Config& config, const TargetSurveySpec& spec,
                                          const TargetSurveyProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace fuselab::engine
