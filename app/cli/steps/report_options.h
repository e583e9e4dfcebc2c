// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "core/gate/check_report.h"

namespace fuselab::cli {

// Where reports of the gate go; an empty name: none of that kind.
struct ReportOptions {
  std::string json_lines, junit, sarif, markdown, html;
  bool annotations = false;  // GitHub's, among the program's own lines
};

// Adds `--json-lines`, `--junit`, `--sarif`, `--markdown`, `--html` and `--annotations`; `options` outlives the parser.
void add_report_options(CLI::App& verb, ReportOptions& options);

// Whether every file can be ours: to be asked before minutes are spent on measuring. `record`: what `--record` names, if it was
// given. kInvalidArgument where two of them share a file or one would replace what Fuselab did not write, kIo where there is no
// folder for it.
Status may_write_reports(const ReportOptions& options, const std::string& record = {});

// Writes each file whole or not at all, and the annotations to `lines`. One that fails (a full disk) keeps no other from being
// written; the error (kIo) is one line that names all that failed and those that were written.
Status write_reports(const ReportOptions& options, const CheckReport& report, std::FILE* lines);

}  // namespace fuselab::cli
