// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "core/gate/check_report.h"

namespace fuselab::cli {

// The files of the gate's reports; with an empty name that kind is not written.
struct ReportOptions {
  std::string json_lines, junit, sarif, markdown, html;
  bool annotations = false;  // GitHub's, printed among the program's own lines
};

// Adds `--json-lines`, `--junit`, `--sarif`, `--markdown`, `--html` and `--annotations`; `options` must outlive the parser.
void add_report_options(CLI::App& verb, ReportOptions& options);

// Checks that every file may be written, before minutes are spent on measuring. `record`: the file named by `--record`, if any.
// Fails with kInvalidArgument where two of them share a file or one would replace a file that Fuselab did not write; with kIo where
// a folder does not exist.
Status may_write_reports(const ReportOptions& options, const std::string& record = {});

// Writes each file atomically, and the annotations to `lines`. A file that fails (a full disk) does not stop the others; the error
// (kIo) is one line that names all files that failed and all that were written.
Status write_reports(const ReportOptions& options, const CheckReport& report, std::FILE* lines);

}  // namespace fuselab::cli
