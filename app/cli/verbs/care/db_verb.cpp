// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/engine/maintenance.h"
#include "app/engine/recording.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

json counts_json(const engine::Counts& counts) {
  json object = json::object();
  for (const auto& [table, rows] : counts) object[table] = rows;
  return object;
}

void print_counts(const engine::Counts& counts) {
  for (const auto& [table, rows] : counts) std::printf("  %10lld  %s\n", static_cast<long long>(rows), table.c_str());
}

// "100MiB", "2GiB", "500000": bytes.
Result<Bytes> parse_bytes(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) ++digits;
  const std::string unit = text.substr(digits);
  const int shift = unit.empty() || unit == "B" ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : -1;
  if (digits == 0 || digits > 12 || shift < 0) return invalid_argument("'" + text + "' is no size; write 500MiB or 2GiB");
  return Bytes{std::stoll(text.substr(0, digits)) << shift};
}

ExitCode info(const Invocation& invocation) {
  const auto summary = engine::database_info(invocation.config);
  if (!summary.ok()) return fail(invocation, summary.error());
  const auto& found = summary.value();
  if (invocation.json) {
    return print_document({{"schema", "fuselab.db.info/1"},
                           {"path", found.path.string()},
                           {"database_schema", found.schema},
                           {"file_bytes", found.file.count},
                           {"log_bytes", found.log.count},
                           {"binary_bytes", found.binaries.count},
                           {"source_bytes", found.sources.count},
                           {"rows", counts_json(found.rows)},
                           {"writer", found.writer}});
  }
  const std::string log = found.log.count > 0 ? " + " + format_bytes(found.log) + " write-ahead log" : "";
  std::printf("%s: %s%s (binaries %s, sources %s), schema %d\n", found.path.c_str(), format_bytes(found.file).c_str(), log.c_str(),
              format_bytes(found.binaries).c_str(), format_bytes(found.sources).c_str(), found.schema);
  print_counts(found.rows);
  std::printf("%s\n", found.writer.empty() ? "no process is writing" : plain_line("being written by " + found.writer).c_str());
  return ExitCode::kOk;
}

json strangers_json(const engine::Counts& strangers) {
  json list = json::array();
  for (const auto& [signer, binaries] : strangers) list.push_back({{"public_key", signer}, {"binaries", binaries}});
  return list;
}

json unvouched_json(const engine::Counts& unvouched) {
  json list = json::array();
  for (const auto& [signer, sources] : unvouched) {
    list.push_back({{"sources", sources}});
    if (!signer.empty()) list.back()["public_key"] = signer;
  }
  return list;
}

void print_unvouched(const engine::Counts& unvouched) {
  for (const auto& [signer, sources] : unvouched) {
    const std::string what =
        counted(sources, "source is", "sources are") + " not run as stored, but only if generated anew alike: ";
    if (signer.empty()) {
      std::printf("! %snobody signed %s\n", what.c_str(), sources == 1 ? "it" : "them");
    } else {
      std::printf("! %ssigned by %s, whom you do not trust; if you do: fuselab trust add \"fuselab-ed25519 %s\"\n", what.c_str(),
                  plain_line(signer.substr(0, 12)).c_str(), plain_line(signer).c_str());
    }
  }
}

ExitCode verify(const Invocation& invocation) {
  const auto health = engine::verify_database(invocation.config);
  if (!health.ok()) return fail(invocation, health.error());
  const auto& problems = health.value().problems;
  std::optional<Error> problem;
  if (!problems.empty()) {
    problem = Error{ErrorCode::kCorrupt, counted(std::ssize(problems), "problem") + " in " + invocation.config.database.string() +
                                             "; put a sound copy in its place, or start a new file with --db"};
  }
  if (invocation.json) {
    return print_document({{"schema", "fuselab.db.verify/1"},
                           {"problems", problems},
                           {"untrusted", strangers_json(health.value().strangers)},
                           {"unvouched", unvouched_json(health.value().unvouched)}},
                          problem);
  }
  for (const std::string& found : problems) std::printf("✗ %s\n", plain_text(found).c_str());
  for (const auto& [signer, binaries] : health.value().strangers) {
    std::printf("! %s not used here: signed by %s, whom you do not trust; if you do: fuselab trust add \"fuselab-ed25519 %s\"\n",
                counted(binaries, "binary is", "binaries are").c_str(), plain_line(signer.substr(0, 12)).c_str(),
                plain_line(signer).c_str());
  }
  print_unvouched(health.value().unvouched);
  if (problem) return fail(invocation, *problem);
  std::puts("sound: every page, checksum, figure, identity and signature holds");
  return ExitCode::kOk;
}

ExitCode gc(const Invocation& invocation, const std::string& budget_text) {
  const auto budget = parse_bytes(budget_text);
  if (!budget.ok()) return fail(invocation, budget.error());
  const auto done = engine::collect_garbage(invocation.config, budget.value());
  if (!done.ok()) return fail(invocation, done.error());
  const auto& result = done.value();
  if (invocation.json) {
    return print_document({{"schema", "fuselab.db.gc/1"},
                           {"dropped", result.dropped},
                           {"kept", result.kept},
                           {"before_bytes", result.before.count},
                           {"after_bytes", result.after.count},
                           {"within_budget", result.within_budget}});
  }
  std::printf("%s dropped, %lld kept; %s → %s%s\n", counted(result.dropped, "binary", "binaries").c_str(),
              static_cast<long long>(result.kept), format_bytes(result.before).c_str(), format_bytes(result.after).c_str(),
              result.within_budget ? "" : "; more than the budget, but trials, sources and winners always stay");
  return ExitCode::kOk;
}

ExitCode merge(const Invocation& invocation, const std::string& other) {
  const auto merged = engine::merge_database(invocation.config, other);
  if (!merged.ok()) return fail(invocation, merged.error());
  if (invocation.json)
    return print_document({{"schema", "fuselab.db.merge/1"},
                           {"rows", counts_json(merged.value().added)},
                           {"unvouched", unvouched_json(merged.value().unvouched)}});
  std::printf("Rows that came from %s:\n", other.c_str());
  print_counts(merged.value().added);
  print_unvouched(merged.value().unvouched);
  return ExitCode::kOk;
}

struct Recording {
  std::string file, kernel, device;
};

ExitCode import_recording(const Invocation& invocation, const Recording& recording) {
  const auto imported = engine::import_recording(invocation.config, recording.file, recording.kernel, recording.device);
  if (!imported.ok()) return fail(invocation, imported.error());
  const engine::ImportedRecording& found = imported.value();
  if (invocation.json)
    return print_document({{"schema", "fuselab.db.import/1"},
                           {"run", found.run_id},
                           {"kernel", found.kernel},
                           {"device", found.device},
                           {"device_id", found.device_id},
                           {"trials", found.trials},
                           {"timed", found.timed}});
  std::printf("%s: '%s' on %s, %s, %lld timed. Its device is %s. Next: fuselab compare %s\n", recording.file.c_str(),
              found.kernel.c_str(), found.device.c_str(), counted(found.trials, "trial").c_str(),
              static_cast<long long>(found.timed), found.device_id.c_str(), shell_word(found.kernel).c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_db_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(1);
  show_examples(command, {"fuselab db info", "fuselab db gc --budget 200MiB", "fuselab db merge colleague.db",
                          "fuselab db import convolution_A100.T4.json"});
  command.add_subcommand("info", "Sizes, row counts, schema, who is writing")->callback([&] {
    invocation.action = [&] { return info(invocation); };
  });
  command.add_subcommand("verify", "Read everything: pages, checksums, figures, identities, signatures")->callback([&] {
    invocation.action = [&] { return verify(invocation); };
  });
  const auto budget = std::make_shared<std::string>("500MiB");
  CLI::App* const collect =
      command.add_subcommand("gc", "Drop binaries of losers until the file fits a budget; trials always stay");
  collect->add_option("--budget", *budget, "Size of the file, e.g. 500MiB")->capture_default_str()->type_name("SIZE");
  collect->callback([&, budget] { invocation.action = [&, budget] { return gc(invocation, *budget); }; });
  const auto other = std::make_shared<std::string>();
  CLI::App* const join = command.add_subcommand("merge", "Add the rows of another database");
  join->add_option("FILE", *other, "The other database")->required();
  join->callback([&, other] { invocation.action = [&, other] { return merge(invocation, *other); }; });
  const auto recording = std::make_shared<Recording>();
  CLI::App* const bring = command.add_subcommand("import", "Add what another tool measured: T4 results, or Kernel Tuner's cache");
  bring->add_option("FILE", recording->file, "A .json file, packed by gzip or not")->required();
  bring->add_option("--kernel", recording->kernel, "Its name (default: as the file says)")->type_name("NAME");
  bring->add_option("--device", recording->device, "Where it was measured (default: as the file says)")->type_name("NAME");
  bring->callback([&, recording] { invocation.action = [&, recording] { return import_recording(invocation, *recording); }; });
}

}  // namespace fuselab::cli
