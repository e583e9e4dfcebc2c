// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

ExitCode compare(Invocation& invocation, const engine::CompareSpec& spec, bool wide) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const auto tables = engine.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  const Status verdict = verdict_on_stored(tables.value(), *engine.value(), spec);
  if (const std::string note = note_on_dtype(tables.value(), spec.dtype); !note.empty())
    std::fprintf(stderr, "fuselab: %s\n", plain_line(note).c_str());
  if (invocation.json) return print_document(compare_json(tables.value()), problem_of(verdict));
  const Terminal terminal = Terminal::of_stdout();
  const char* gap = "";
  for (const auto& table : tables.value()) {
    std::printf("%s%s", gap, compare_text(table, wide ? Detail::kAll : Detail::kUsual, terminal).c_str());
    gap = "\n";
  }
  return verdict.ok() ? ExitCode::kOk : fail(invocation, verdict.error());
}

}  // namespace

void add_compare_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<engine::CompareSpec>();
  spec->at_once = true;
  const auto wide = std::make_shared<bool>(false);
  add_stored_options(command, *spec, "Compare these devices (cpu:0) or backends (cpu) only; several: repeat");
  add_run_option(command, *spec);
  add_wide_flag(command, *wide);
  show_examples(command, {"fuselab compare", "fuselab compare w3 --wide", "fuselab compare resnet50 --level O0"});
  command.callback(
      [&invocation, spec, wide] { invocation.action = [&invocation, spec, wide] { return compare(invocation, *spec, *wide); }; });
}

}  // namespace fuselab::cli
