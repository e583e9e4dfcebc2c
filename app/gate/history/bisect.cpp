// SPDX-License-Identifier: Apache-2.0
#include "app/gate/history/bisect.h"

#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/gate/source/given_environment.h"
#include "app/gate/source/repository.h"
#include "app/gate/source/working_tree.h"
#include "core/base/plain_text.h"
#include "core/base/shown_commit.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::engine {
namespace {

constexpr std::string_view kTreePrefix = "fuselab-bisect";
constexpr std::size_t kMostSuspects = 20;         // since only 4 KiB of git's answer are kept
constexpr std::chrono::seconds kStartLimit{600};  // the start includes a checkout

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<StepTaken> steps_in(const std::filesystem::path& record) {
  std::vector<StepTaken> steps;
  std::ifstream file(record);
  for (std::string line; std::getline(file, line) && !file.eof();) {  // a line without its end is still being written
    StepTaken step;
    int code = 0;
    std::istringstream words(line);
    words >> step.commit >> code;
    std::getline(words >> std::ws, step.reason);
    step.answer = static_cast<BisectAnswer>(code);
    steps.push_back(std::move(step));
  }
  return steps;
}

class Bisection {
 public:
  Bisection(const BisectSpec& spec, const std::function<void(const StepTaken&)>& on_step, std::stop_token stop)
      : spec_(spec), on_step_(on_step), stop_(std::move(stop)) {}

  Result<BisectFound> run() {
    FL_TRY(found_.good, commit_named(spec_.folder, spec_.good, stop_));
    FL_TRY(found_.bad, commit_named(spec_.folder, spec_.bad, stop_));
    if (found_.good == found_.bad) return invalid_argument("good and bad are the same commit");
    if (!run_git(spec_.folder, {"merge-base", "--is-ancestor", found_.good, found_.bad}, stop_).ok())
      return invalid_argument("'" + plain_line(spec_.good) + "' is no ancestor of '" + plain_line(spec_.bad) +
                              "': give the older, good commit first");
    FL_TRY(const std::string inside, run_git(spec_.folder, {"rev-parse", "--show-prefix"}, stop_));
    FL_TRY(const std::string top, run_git(spec_.folder, {"rev-parse", "--show-toplevel"}, stop_));
    FL_TRY(const WorkingTree tree, WorkingTree::make(kTreePrefix, top, found_.bad, stop_));
    folder_ = inside.empty() ? tree.path() : tree.path() / inside;
    FL_TRY_VOID(expect(tree, found_.bad, BisectAnswer::kBad));
    FL_TRY_VOID(expect(tree, found_.good, BisectAnswer::kGood));
    FL_TRY_VOID(run_git(tree.path(), {"bisect", "start", found_.bad, found_.good}, stop_, kStartLimit));
    FL_TRY_VOID(drive(tree));
    FL_TRY_VOID(collect(tree));
    return std::move(found_);
  }

 private:
  void tell(StepTaken step) {
    found_.steps.push_back(std::move(step));
    if (on_step_) on_step_(found_.steps.back());
  }

  // Checks one end. An end that is not what the user says would lead the search anywhere.
  Status expect(const WorkingTree& tree, const std::string& commit, BisectAnswer expected) {
    FL_TRY_VOID(tree.check_out(commit, stop_));
    StepTaken taken = take_step({folder_, spec_.build, spec_.check, {}, platform::ProcessGroup::kOwn}, stop_);
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    taken.commit = commit;
    tell(taken);
    if (taken.answer == expected) return {};
    const std::string name(expected == BisectAnswer::kBad ? spec_.bad : spec_.good);
    return invalid_argument("'" + plain_line(name) + "' should be " + std::string(name_of(expected)) + " and is " +
                            std::string(taken.answer == BisectAnswer::kSkip ? "not to be judged" : name_of(taken.answer)) + " (" +
                            taken.reason + "): there is nothing to look for");
  }

  void tell_new_steps(const WorkingTree& tree) {
    std::vector<StepTaken> steps = steps_in(tree.notes());
    for (; told_ < steps.size(); ++told_) tell(std::move(steps[told_]));
  }

  Status drive(const WorkingTree& tree) {
    FL_TRY(platform::ChildOptions options, git_command(tree.path(), {"bisect", "run"}));
    options.arguments.insert(options.arguments.end(), spec_.step.begin(), spec_.step.end());
    options.arguments.insert(options.arguments.end(), {"--folder", folder_.string(), "--record", tree.notes().string()});
    // Each option is one word, since a command line may begin with a dash.
    if (!spec_.build.empty()) options.arguments.push_back("--build=" + spec_.build);
    options.arguments.push_back("--check=" + spec_.check);
    // A step's build and check must see the same environment as those of both ends.
    for (auto& variable : carried_environment()) options.variables.push_back(std::move(variable));
    FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
    while (true) {
      const auto end = child.wait_exit(std::chrono::milliseconds(100));
      tell_new_steps(tree);
      if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
      if (!end) continue;
      // 2: only skipped commits are left.
      const auto code = platform::exit_code_in(*end);
      if (code == 0 || code == 2) return {};
      const bool aborted = !found_.steps.empty() && found_.steps.back().answer == BisectAnswer::kAbort;
      if (aborted)
        return Error{ErrorCode::kCrashed, "at " + shown_commit(found_.steps.back().commit) + ": " + found_.steps.back().reason};
      const std::string words = child.last_words();
      return Error{ErrorCode::kIo, "git bisect run " + *end + ": " + plain_line(words.substr(0, 300))};
    }
  }

  // Collects the commits that are bad and may be the first: those not reachable from a good one.
  Status collect(const WorkingTree& tree) {
    FL_TRY(const std::string good, run_git(tree.path(), {"for-each-ref", "--format=%(objectname)", "refs/bisect/good-*"}, stop_));
    const auto suspected = [&](const std::string& option) {
      std::vector<std::string> words = {"rev-list", option, "refs/bisect/bad", "--not"};
      for (const std::string& commit : split_lines(good)) words.push_back(commit);
      return run_git(tree.path(), words, stop_);
    };
    FL_TRY(const std::string newest, suspected("--max-count=" + std::to_string(kMostSuspects)));
    FL_TRY(const std::string count, suspected("--count"));
    found_.suspects = split_lines(newest);
    std::from_chars(count.data(), count.data() + count.size(), found_.suspects_total);
    if (found_.suspects.empty() || found_.suspects_total < found_.suspects.size())
      return Error{ErrorCode::kInternal, "git bisect left no commit"};
    FL_TRY(found_.subject, run_git(tree.path(), {"log", "-1", "--format=%s", found_.suspects.front()}, stop_));
    return {};
  }

  const BisectSpec& spec_;
  const std::function<void(const StepTaken&)>& on_step_;
  std::stop_token stop_;
  std::filesystem::path folder_;
  std::size_t told_ = 0;
  BisectFound found_;
};

}  // namespace

Result<BisectFound> bisect(const BisectSpec& spec, const std::function<void(const StepTaken&)>& on_step, std::stop_token stop) {
  return Bisection(spec, on_step, std::move(stop)).run();
}

}  // namespace fuselab::engine
