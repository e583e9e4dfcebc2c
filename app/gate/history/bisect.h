// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/platform/processes/child_process.h"

// Which commit made a case slower: `git bisect run` with `fuselab check`, in a working tree of its own, so that nobody's changes
// stand in the way and nothing of theirs is touched. At every commit, the ends included, build and check see the same environment:
// that of this process, but for the variables by which git tells of a repository.
namespace fuselab::engine {

// What git's bisection makes of a commit, and the exit code that says so to it (git-bisect(1)).
enum class BisectAnswer : int {
  kGood = 0,
  kBad = 1,
  kSkip = 125,   // this commit cannot be judged; others can
  kAbort = 128,  // no commit can
};
std::string_view name_of(BisectAnswer answer);

// Of the code that a check ended with (the one table of exit codes): 0 is good, 1 bad; what could not be decided, compiled,
// configured or computed at this commit is skipped; what is no code of the table (a signal, no such program) aborts.
BisectAnswer answer_of(int check_code);

// One commit, for git: `build` first where there is one, then the check; both are a shell's command lines, run in `folder`.
struct BisectStep {
  std::filesystem::path folder;
  std::string build;
  std::string check;
  std::filesystem::path record;  // to add a line to; empty: none
  // Whose group build and check join: git's, that ends with it, or their own.
  platform::ProcessGroup group = platform::ProcessGroup::kJoined;
};
struct StepTaken {
  std::string commit;  // its digits; empty: the folder is in no repository
  BisectAnswer answer = BisectAnswer::kSkip;
  std::string reason;  // "the check ended with 4", "the build failed: ..."
};
// Blocks; the check and the build may take as long as they like, until they are to stop: kAbort, "cancelled".
StepTaken take_step(const BisectStep& step, const std::stop_token& stop = {});

struct BisectSpec {
  std::filesystem::path folder;   // in the user's repository, with fuselab.toml; the same folder of each commit is checked
  std::string good, bad;          // as git names commits
  std::string build, check;       // as in BisectStep
  std::vector<std::string> step;  // the program and verb that takes a step for git, up to BisectStep's own options
};

struct BisectFound {
  std::string good, bad;              // their digits
  std::vector<StepTaken> steps;       // in order, both ends first
  std::vector<std::string> suspects;  // the first bad commit alone, or what it could be where commits were skipped; newest first
  std::size_t suspects_total = 0;     // all it could be; of these the newest 20 are listed
  std::string subject;                // of the first listed
};

// Blocks until it is found; `on_step` hears of each commit. kInvalidArgument where good is no ancestor of bad, or an end is not
// what it is said to be; kNotFound where git does not know a commit; kIo where git itself fails, as on a full disk; kCrashed where
// a step aborted; kCancelled.
Result<BisectFound> bisect(const BisectSpec& spec, const std::function<void(const StepTaken&)>& on_step, std::stop_token stop);

}  // namespace fuselab::engine
