// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/shell/help_format.h"
#include "app/cli/shell/usage.h"

namespace fuselab::cli {

// A small tree of commands with one of each thing that help and completions tell apart, so that their writers are tested apart from
// the product's own verbs.
inline std::unique_ptr<CLI::App> toy_commands() {
  const auto ignore = [](const std::string& /*value*/) {};
  auto app = std::make_unique<CLI::App>("A toy.", "fuselab");
  app->formatter(std::make_shared<HelpFormat>());
  app->set_help_flag("--help,-h", "Print this and exit");
  app->add_option_function<std::string>("--db", ignore, "Database file")->type_name("FILE");
  CLI::App* const paint = app->add_subcommand("paint", "Colour a subject");
  paint->group("Work");
  paint->add_option_function<std::string>("SUBJECT", ignore, "What is painted")->required();
  CLI::Option* const mode = paint->add_option_function<std::string>("--mode", ignore, "It's wet or dry");
  allow_only(*mode->default_str("wet"), "wet|dry");
  paint->add_option_function<std::string>("--seed", ignore, "Of the colours")->type_name("N");
  paint->add_flag_function(
      "--quick,-q", [](std::int64_t /*count*/) {}, "One coat");
  show_examples(*paint, {"fuselab paint wall"});
  CLI::App* const shelf = app->add_subcommand("shelf", "Keep files");
  shelf->group("Care");
  shelf->add_subcommand("list", "What is kept")->group("Verbs");
  CLI::App* const put = shelf->add_subcommand("put", "Keep one more");
  put->group("Verbs");
  put->add_option_function<std::string>("FILE", ignore, "Which")->required();
  return app;
}

}  // namespace fuselab::cli
