// SPDX-License-Identifier: Apache-2.0
#include "app/gate/commands/command_run.h"

#include <algorithm>

#include "app/gate/commands/printed_time.h"
#include "app/gate/source/given_environment.h"
#include "core/base/plain_text.h"
#include "core/platform/processes/program_run.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kShownOutput = 2000;  // bytes of each of the two

// Returns the last whole lines of a text, safe to print.
std::string tail_of(const std::string& text) {
  if (text.size() <= kShownOutput) return plain_text(text);
  const std::size_t line = text.find('\n', text.size() - kShownOutput);
  const std::size_t start = line == std::string::npos ? text.size() - kShownOutput : line + 1;
  return "…\n" + plain_text(text.substr(start));
}

std::string shown(const platform::ProgramEnd& end) {
  std::string text = tail_of(end.output);
  if (!text.empty() && text.back() != '\n' && !end.words.empty()) text += '\n';
  return text + tail_of(end.words);
}

Result<platform::ProgramRun> program_of(const CommandCase& of, const CommandLine& line) {
  platform::ProgramRun run;
  if (line.by_shell) {
    run.program = "/bin/sh";
    run.arguments = {"-c", line.words.front()};
  } else {
    run.program = line.words.front();
    run.arguments.assign(line.words.begin() + 1, line.words.end());
    if (line.words.front().find('/') == std::string::npos) {
      const auto found = platform::find_program({line.words.front()});
      if (!found) return Error{ErrorCode::kNotFound, "there is no program '" + line.words.front() + "' in PATH"};
      run.program = *found;
    }
  }
  run.folder = of.folder;
  platform::ChildOptions given;
  give_environment(given);
  run.variables = std::move(given.variables);
  run.withheld = std::move(given.withheld);
  return run;
}

}  // namespace

Result<CommandRun> run_command(const CommandCase& of, const CommandLine& line, CommandTime time, double limit_seconds,
                               const std::stop_token& stop) {
  CommandRun made;
  auto run = program_of(of, line);
  if (!run.ok()) {
    made.problem = run.error();
    return made;
  }
  run.value().limit = std::chrono::milliseconds(static_cast<std::int64_t>(std::max(1.0, 1000 * limit_seconds)));
  auto ended = platform::run_to_end(run.value(), stop);
  if (!ended.ok() && ended.error().code == ErrorCode::kCancelled) return ended.error();
  if (!ended.ok()) {
    made.problem = ended.error();
    if (made.problem->code == ErrorCode::kIo) made.problem->code = ErrorCode::kLaunchFailed;  // as of a file that is no program
    return made;
  }
  platform::ProgramEnd& end = ended.value();
  made.wall = made.time = end.time;
  made.problem = end.problem;
  if (time == CommandTime::kProcessor) made.time = end.processor_time;
  if (!made.problem && made.time.count <= 0)
    made.problem = Error{ErrorCode::kLaunchFailed, "it took no processor time that the system could tell; time it whole"};
  if (!end.problem && time == CommandTime::kPrinted) {
    const auto printed = printed_time(end.output);
    if (printed.ok()) made.time = printed.value();
    if (!printed.ok()) made.problem = Error{ErrorCode::kLaunchFailed, printed.error().message};
  }
  if (!made.problem) return made;
  made.time = {};
  made.output = shown(end);
  return made;
}

}  // namespace fuselab::engine
