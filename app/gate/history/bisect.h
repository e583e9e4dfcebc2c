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

// Finds the commit that made a case slower: `git bisect run` with `fuselab check`, in a working tree of its own, so that the user's
// changes neither disturb it nor are touched. At every commit, the ends included, build and check see the same environment: that of
// this process without the variables by which git points to a repository.
namespace fuselab::engine {

// The answer to git's bisection about one commit; the values are the exit codes that git expects (git-bisect(1)).
enum class BisectAnswer : int {
  kGood = 0,
  kBad = 1,
  kSkip = 125,   // this commit cannot be judged; others can
  kAbort = 128,  // no commit can be judged
};
std::string_view name_of(BisectAnswer answer);

// Maps the exit code of a check (from the one table of exit codes): 0 is good, 1 bad; a check that could not decide, compile,
// configure or compute at this commit is skipped; anything that is no code of the table (a signal, no such program) aborts.
BisectAnswer answer_of(int check_code);

// The commands for one commit: `build` first, where there is one, then the check; both are shell command lines that run in
// `folder`.
struct BisectStep {
  std::filesystem::path folder;
  std::string build;
  std::string check;
  std::filesystem::path record;  // a line is added to it; empty: none
  // The process group of build and check: git's, so that they end with it, or their own.
  platform::ProcessGroup group = platform::ProcessGroup::kJoined;
};
struct StepTaken {
  std::string commit;  // full hash; empty: the folder is in no repository
  BisectAnswer answer = BisectAnswer::kSkip;
  std::string reason;  // "the check ended with 4", "the build failed: ..."
};
// Builds and checks the current commit. Blocks without a time limit; after a stop request it answers kAbort, "cancelled".
StepTaken take_step(const BisectStep& step, const std::stop_token& stop = {});

struct BisectSpec {
  std::filesystem::path folder;   // in the user's repository, with fuselab.toml; the same folder is checked at each commit
  std::string good, bad;          // as git names commits
  std::string build, check;       // as in BisectStep
  std::vector<std::string> step;  // the program and verb that takes a step for git, up to BisectStep's own options
};

struct BisectFound {
  std::string good, bad;              // full hashes
  std::vector<StepTaken> steps;       // in order, both ends first
  std::vector<std::string> suspects;  // the first bad commit alone, or all candidates where commits were skipped; newest first
  std::size_t suspects_total = 0;     // number of all candidates, of which the newest 20 are listed
  std::string subject;                // of the first commit listed
};

// Blocks until the commit is found; `on_step` is called for each commit tried.
// Fails with kInvalidArgument where `good` is no ancestor of `bad`, or an end turns out otherwise; with kNotFound where git does
// not know a commit; with kIo where git itself fails, as on a full disk; with kCrashed where a step aborted; with kCancelled.
Result<BisectFound> bisect(const BisectSpec& spec, const std::function<void(const StepTaken&)>& on_step, std::stop_token stop);

}  // namespace fuselab::engine
