// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_text.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/verdict.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

ExitCode compare(Invocation& invocation, const session::CompareSpec& spec, bool wide) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  say_what_was_taken(invocation, spec.subjects);
  auto const tables = session.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  Status const verdict = verdict_on_stored(tables.value(), *session.value(), spec);
  if (std::string const note = note_on_dtype(tables.value(), spec.dtype); !note.empty())
    std::fprintf(stderr, "fuselab: %s\n", plain_line(note).c_str());
  if (invocation.json) return print_document(compare_json(tables.value()), problem_of(verdict));
  Terminal const terminal = Terminal::of_stdout();
  const char* gap = "";
  for (auto const& table : tables.value()) {
    std::printf("%s%s", gap, compare_text(table, wide ? Detail::kAll : Detail::kUsual, terminal).c_str());
    gap = "\n";
  }
  return verdict.ok() ? ExitCode::kOk : fail(invocation, verdict.error());
}

}  // namespace

void add_compare_verb(CLI::App& command, Invocation& invocation) {
  auto const spec = std::make_shared<session::CompareSpec>();
  auto const wide = std::make_shared<bool>(false);
  add_stored_options(command, *spec, "Compare these devices (cpu:0) or backends (cpu) only; several: repeat");
  add_wide_flag(command, *wide);
  show_examples(command, {"fuselab compare", "fuselab compare w3 --wide", "fuselab compare resnet50 --level O0"});
  command.callback(
      [&invocation, spec, wide] { invocation.action = [&invocation, spec, wide] { return compare(invocation, *spec, *wide); }; });
}

}  // namespace fuselab::cli
