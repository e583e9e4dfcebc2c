// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/command_sides.h"

namespace fuselab::engine {

Result<CommandPair> command_sides(const CheckCase& of, const Against* against, BaselineUsed& used) {
  CommandPair pair;
  pair.candidate = pair.baseline = of.command;
  if (against == nullptr) {
    if (!of.command.baseline.is_set())
      return Error{ErrorCode::kNotFound, "a command needs a baseline-command in its case, or `fuselab check --against COMMIT`"};
    used.origin = "`" + of.command.baseline.text() + "`";
    pair.baseline.command = of.command.baseline;
    return pair;
  }
  used.origin = against->origin();
  used.commit = against->commit();
  const auto then = against->as_it_was(of);
  if (!then.ok()) return Error{ErrorCode::kNotFound, "at " + against->origin() + ": " + then.error().message};
  if (!then.value().command.is_set()) return Error{ErrorCode::kNotFound, "at " + against->origin() + ": the case was no command"};
  pair.baseline = then.value().command;
  if (then.value().subject != of.subject) used.note = "there it is `" + then.value().subject + "`";
  return pair;
}

std::string words_of(CommandTime time) {
  if (time == CommandTime::kProcessor) return "its CPU time";
  return time == CommandTime::kPrinted ? "the time that it prints" : "timed whole";
}

}  // namespace fuselab::engine
