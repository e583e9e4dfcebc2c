// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/own_file.h"
#include "app/cli/report_html.h"
#include "app/cli/verdict.h"
#include "core/platform/clock.h"

namespace fuselab::cli {
Result<std::filesystem::path> write_report(session::Session& session, const std::filesystem::path& file,
                                           const std::vector<session::CompareTable>& tables, CacheMode mode) {
  ReportHeading heading;
  heading.mode = name_of(mode);
  heading.database = session.config().database.string();
  heading.when = platform::local_time_text(platform::unix_milliseconds());
  FL_TRY(auto const backends, session.devices(false));
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      if (!device.synthetic || session.config().synthetic)
        heading.devices.push_back(device.id + " " + device.name + ", target " + device.target.id);
    }
  }
  FL_TRY_VOID(write_own(file, kReportStart, report_html(heading, tables)));
  return file;
}

Result<std::filesystem::path> write_report_beside_database(session::Session& session,
                                                           const std::vector<session::CompareTable>& tables, CacheMode mode) {
  std::filesystem::path file = session.config().database;
  file.replace_extension(".report.html");
  auto written = write_report(session, file, tables, mode);
  if (!written.ok() && written.error().code == ErrorCode::kInvalidArgument)
    return Error{written.error().code, written.error().message + "; `fuselab report -o FILE` writes the page elsewhere"};
  return written;
}

namespace {

ExitCode report(Invocation& invocation, const std::string& output, const session::CompareSpec& spec) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  auto const tables = session.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  // A page that says nothing must not take the place of one that does.
  if (Status const verdict = verdict_on_stored(tables.value(), *session.value(), spec); !verdict.ok())
    return fail(invocation, verdict.error());
  auto const written = write_report(*session.value(), output, tables.value(), spec.protocol.mode);
  if (!written.ok())
    return fail(invocation, {written.error().code, written.error().message + "; choose another file with --output"});
  if (invocation.json)
    return print_document({{"schema", "fuselab.report/1"}, {"file", written.value().string()}, {"models", tables.value().size()}});
  std::printf("%s\n", written.value().c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_report_verb(CLI::App& command, Invocation& invocation) {
  auto const output = std::make_shared<std::string>("fuselab-report.html");
  auto const spec = std::make_shared<session::CompareSpec>();
  command.add_option("--output,-o", *output, "The page's file")->capture_default_str()->type_name("FILE");
  spec->every_question = true;
  add_mode_option(command, spec->protocol);
  show_examples(command, {"fuselab report -o report.html"});
  command.callback([&invocation, output, spec] {
    invocation.action = [&invocation, output, spec] { return report(invocation, *output, *spec); };
  });
}

}  // namespace fuselab::cli
