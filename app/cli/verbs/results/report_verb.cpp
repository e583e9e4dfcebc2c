// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/report_html.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/own_file.h"
#include "core/platform/system/clock.h"

namespace fuselab::cli {
Result<std::filesystem::path> write_report(engine::Engine& engine, const std::filesystem::path& file,
                                           const std::vector<engine::CompareTable>& tables, CacheMode mode) {
  ReportHeading heading;
  heading.mode = name_of(mode);
  heading.database = engine.config().database.string();
  heading.when = platform::local_time_text(platform::unix_milliseconds());
  FL_TRY(const auto backends, engine.devices_at_once());
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      if (!device.synthetic || engine.config().synthetic)
        heading.devices.push_back(device.id + " " + device.name + ", target " + device.target.id);
    }
  }
  FL_TRY_VOID(write_own(file, kReportStart, report_html(heading, tables)));
  return file;
}

Result<std::filesystem::path> write_report_beside_database(engine::Engine& engine, const std::vector<engine::CompareTable>& tables,
                                                           CacheMode mode) {
  std::filesystem::path file = engine.config().database;
  file.replace_extension(".report.html");
  auto written = write_report(engine, file, tables, mode);
  if (!written.ok() && written.error().code == ErrorCode::kInvalidArgument)
    return Error{written.error().code, written.error().message + "; `fuselab report -o FILE` writes the page elsewhere"};
  return written;
}

namespace {

ExitCode report(Invocation& invocation, const std::string& output, const engine::CompareSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto tables = engine.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  // A page that says nothing must not take the place of one that does.
  if (const Status verdict = verdict_on_stored(tables.value(), *engine.value(), spec); !verdict.ok())
    return fail(invocation, verdict.error());
  const auto written = write_report(*engine.value(), output, tables.value(), spec.protocol.mode);
  if (!written.ok())
    return fail(invocation, {written.error().code, written.error().message + "; choose another file with --output"});
  if (invocation.json)
    return print_document({{"schema", "fuselab.report/1"}, {"file", written.value().string()}, {"models", tables.value().size()}});
  std::printf("%s\n", written.value().c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_report_verb(CLI::App& command, Invocation& invocation) {
  const auto output = std::make_shared<std::string>("fuselab-report.html");
  const auto spec = std::make_shared<engine::CompareSpec>();
  spec->at_once = true;
  command.add_option("--output,-o", *output, "The page's file")->capture_default_str()->type_name("FILE");
  spec->every_question = true;
  add_mode_option(command, spec->protocol);
  show_examples(command, {"fuselab report -o report.html"});
  command.callback([&invocation, output, spec] {
    invocation.action = [&invocation, output, spec] { return report(invocation, *output, *spec); };
  });
}

}  // namespace fuselab::cli
