// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

namespace fuselab::cli {

// Formats --help: "--budget SECONDS  Seconds for tuning (default: 300)". Must be given to the program before its verbs, which
// inherit it.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

// Ends a verb's --help with examples to copy and with the options that every verb takes.
void show_examples(CLI::App& verb, std::initializer_list<const char*> examples);

}  // namespace fuselab::cli
