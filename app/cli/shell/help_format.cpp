// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/help_format.h"

namespace fuselab::cli {

HelpFormat::HelpFormat() {
  column_width(30);
  label("SUBCOMMAND", "VERB");
  label("Positionals", "What");
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";  // a flag
  const bool several = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
  const std::string value = option->get_positional() ? "" : " " + option->get_type_name();
  return value + (several ? "..." : "");
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  const std::string initial = option->get_default_str();
  return option->get_description() + (initial.empty() ? "" : " (default: " + initial + ")");
}

void show_examples(CLI::App& verb, std::initializer_list<const char*> examples) {
  std::string text = "Examples:\n";
  for (const char* example : examples) text += std::string("  ") + example + "\n";
  text += "\nEvery verb also takes --json, --quiet, --db FILE, --follow-links and --synthetic: see `fuselab --help`.";
  verb.footer(text);
}

}  // namespace fuselab::cli
