// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fstream>
#include <optional>

#include "app/gate/history/bisect.h"
#include "app/gate/source/given_environment.h"
#include "app/gate/source/repository.h"
#include "core/base/plain_text.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::engine {
namespace {

struct ProgramEnd {
  std::optional<int> code;  // nullopt: ended by a signal
  std::string words;        // the last line that it printed
};

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return plain_line(text.substr(text.find_last_of('\n') + 1).substr(0, 300));
}

// Runs a shell command line in the step's folder.
Result<ProgramEnd> run_program(const BisectStep& step, const std::string& line, const std::stop_token& stop) {
  platform::ChildOptions options;
  options.program = "/usr/bin/env";
  options.arguments = {"-C", step.folder.empty() ? "." : step.folder.string(), "sh", "-c", line};
  options.group = step.group;
  give_environment(options);
  FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
  std::optional<std::string> end;
  while (!end) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    end = child.wait_exit(std::chrono::milliseconds(50));
  }
  return ProgramEnd{platform::exit_code_in(*end), last_line(child.last_words())};
}

// Returns the folder, or its nearest parent that exists, since not every commit has it.
std::filesystem::path existing(std::filesystem::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !std::filesystem::exists(folder, ignored)) folder = folder.parent_path();
  return folder;
}

void judge_commit(const BisectStep& step, const std::stop_token& stop, StepTaken& taken) {
  std::error_code ignored;
  if (!taken.commit.empty() && !std::filesystem::exists(step.folder, ignored)) {
    taken.reason = "it has no folder " + plain_line((step.folder / "").parent_path().filename().string());
    return;  // skipped
  }
  if (!step.build.empty()) {
    const auto built = run_program(step, step.build, stop);
    if (!built.ok() && built.error().code == ErrorCode::kCancelled) {
      taken.answer = BisectAnswer::kAbort;
      taken.reason = built.error().message;
      return;
    }
    if (!built.ok() || built.value().code != 0) {
      taken.reason = "the build failed: " + (built.ok() ? built.value().words : built.error().message);
      return;  // skipped
    }
  }
  const auto checked = run_program(step, step.check, stop);
  if (!checked.ok() || !checked.value().code) {
    taken.answer = BisectAnswer::kAbort;
    taken.reason = checked.ok() ? "the check was killed: " + checked.value().words : checked.error().message;
    return;
  }
  const int code = *checked.value().code;
  taken.answer = answer_of(code);
  taken.reason = "the check ended with " + std::to_string(code);
  const bool decided = taken.answer == BisectAnswer::kGood || taken.answer == BisectAnswer::kBad;
  if (!decided && !checked.value().words.empty()) taken.reason += ": " + checked.value().words;
}

}  // namespace

std::string_view name_of(BisectAnswer answer) {
  switch (answer) {
    case BisectAnswer::kGood: return "good";
    case BisectAnswer::kBad: return "bad";
    case BisectAnswer::kSkip: return "skipped";
    case BisectAnswer::kAbort: return "aborted";
  }
  return "aborted";
}

BisectAnswer answer_of(int check_code) {
  if (check_code == 0) return BisectAnswer::kGood;
  if (check_code == 1) return BisectAnswer::kBad;
  return check_code >= 2 && check_code <= 7 ? BisectAnswer::kSkip : BisectAnswer::kAbort;
}

StepTaken take_step(const BisectStep& step, const std::stop_token& stop) {
  StepTaken taken;
  taken.commit = commit_of(existing(step.folder));
  judge_commit(step, stop, taken);
  if (!step.record.empty()) {
    std::ofstream file(step.record, std::ios::app);
    file << (taken.commit.empty() ? "?" : taken.commit) << ' ' << static_cast<int>(taken.answer) << ' ' << taken.reason << '\n';
  }
  return taken;
}

}  // namespace fuselab::engine
