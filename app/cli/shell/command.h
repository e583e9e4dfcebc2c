// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/shell/exit_code.h"
#include "app/engine/job/engine.h"

namespace fuselab::cli {

// What every verb shares: the options that stand before or after it, and the engine opened on first need.
struct Invocation {
  engine::Config config;
  std::string command_line;  // as typed: stored with the run
  bool json = false;
  bool quiet = false;
  std::function<ExitCode()> action;  // set by the chosen verb's parser

  Result<engine::Engine*> engine();

 private:
  std::unique_ptr<engine::Engine> opened_;
};

// Prints "fuselab: <message>" to stderr (or a document that has only the error to stdout with --json); returns the error's exit
// code.
ExitCode fail(const Invocation& invocation, const Error& error);

// Adds `--shape`, repeated for several subjects.
void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes,
                      const std::string& how_often = "; once for all subjects, or once for each");
// Adds `--mode`; `protocol` outlives the parser.
void add_mode_option(CLI::App& verb, Protocol& protocol);
// Adds `--device`, `--dtype`, `--level` and `--mode`: what is to be measured.
void add_measured_options(CLI::App& verb, engine::JobSpec& spec, const std::string& what_device);
// Adds SUBJECT, `--shape`, the same options and `--accept`: which stored measurements are meant. Without them the newest.
void add_stored_options(CLI::App& verb, engine::CompareSpec& spec, const std::string& what_device);
// Adds `--accept`: what may be chosen although it costs more than time.
void add_accept_option(CLI::App& verb, engine::Accepted& accepted);
// Adds `--level`.
void add_level_option(CLI::App& verb, std::string& level);
void add_wide_flag(CLI::App& verb, bool& wide);

// On stderr, where a name among these could mean another workload, too: which was taken.
void say_what_was_taken(const Invocation& invocation, const std::vector<std::string>& subjects);

// Writes the HTML report of these tables; the file it wrote. Makes no folder (kIo), and what Fuselab did not write it leaves alone
// (kInvalidArgument).
Result<std::filesystem::path> write_report(engine::Engine& engine, const std::filesystem::path& file,
                                           const std::vector<engine::CompareTable>& tables, CacheMode mode);
// The same beside the database and named after it: results.db → results.report.html.
Result<std::filesystem::path> write_report_beside_database(engine::Engine& engine, const std::vector<engine::CompareTable>& tables,
                                                           CacheMode mode);

}  // namespace fuselab::cli
