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

// The options that every verb shares, before or after it, and the engine, which is opened when first needed.
struct Invocation {
  engine::Config config;
  std::string command_line;  // as typed: stored with the run
  bool json = false;
  bool quiet = false;
  std::filesystem::path trace_file;  // takes a timeline of the command; empty: none is kept
  std::function<ExitCode()> action;  // set by the chosen verb's parser

  Result<engine::Engine*> engine();

 private:
  std::unique_ptr<engine::Engine> opened_;
};

// Prints "fuselab: <message>" to stderr (with --json, a document with only the error to stdout); returns the error's exit code.
ExitCode fail(const Invocation& invocation, const Error& error);

// Adds `--shape`, which may be repeated for several subjects.
void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes,
                      const std::string& how_often = "; once for all subjects, or once for each");
// Adds `--mode`; `protocol` must outlive the parser.
void add_mode_option(CLI::App& verb, Protocol& protocol);
// Adds `--device`, `--no-device` and `--prefer`, which mean the same on every verb. `what_device` says of the first what it
// restricts.
void add_device_options(CLI::App& verb, DeviceChoice& devices, const std::string& what_device);
// Adds these, `--dtype`, `--level` and `--mode`, which say what to measure.
void add_measured_options(CLI::App& verb, engine::JobSpec& spec, const std::string& what_device);
// Adds SUBJECT, `--shape`, the same options and `--accept`, which select stored measurements; without them the newest.
void add_stored_options(CLI::App& verb, engine::CompareSpec& spec, const std::string& what_device);
void add_run_option(CLI::App& verb, engine::CompareSpec& spec);
// Adds `--accept`, which allows plans with a drawback other than time to be chosen.
void add_accept_option(CLI::App& verb, Drawbacks& accepted);
// Adds `--level`.
void add_level_option(CLI::App& verb, std::string& level);
void add_wide_flag(CLI::App& verb, bool& wide);

// Prints on stderr, for each subject whose name could mean another workload too, which one was taken.
void say_what_was_taken(const Invocation& invocation, const std::vector<std::string>& subjects);
// Warns on stderr, --quiet or not, that random numbers stand in for weights that a model's file lacks.
void warn_of_invented(const std::vector<std::string>& weights);

// Writes the HTML report of these tables and returns its file. Fails with kIo where the folder does not exist, and with
// kInvalidArgument where the file is one that Fuselab did not write; it is left alone.
Result<std::filesystem::path> write_report(engine::Engine& engine, const std::filesystem::path& file,
                                           const std::vector<engine::CompareTable>& tables, CacheMode mode);
// Does the same beside the database, with a name after it: results.db → results.report.html.
Result<std::filesystem::path> write_report_beside_database(engine::Engine& engine, const std::vector<engine::CompareTable>& tables,
                                                           CacheMode mode);

}  // namespace fuselab::cli
