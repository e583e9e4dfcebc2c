// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "app/cli/command_line.h"

namespace fuselab::cli {
namespace {

// Every option of the command and of those below it, as `command --option,-o TYPE`: words that scripts rely on.
void list_options(const CLI::App& command, const std::string& words, std::string& page) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_items_expected_max() == 0 ? "" : " " + option->get_type_name();
    page += words + " " + option->get_name(false, true) + type + "\n";
  }
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    list_options(*below, words + " " + below->get_name(), page);
  }
}

// resources/docs/verbs.md as the table has it.
std::string page_of_verbs() {
  std::string page =
      "# Verbs\n\nAs `fuselab --help` lists them; [the command line](cli.md) says how they are used. FUSELAB_UPDATE_GOLDENS=1 "
      "writes this\npage from `app/cli/verbs.def` (`unit.Verbs.StandInTheirPage`).\n";
  std::string group;
  for (const Verb& verb : all_verbs()) {
    if (verb.group != group) page += "\n## " + (group = verb.group) + "\n\n| verb | what it does |\n|---|---|\n";
    page += "| `" + std::string(verb.name) + "` | " + verb.purpose + " |\n";
  }
  page += "\n## Options\n\n`fuselab VERB --help` says what they mean.\n\n```\n";
  Invocation invocation;
  list_options(*make_command_line(invocation), "fuselab", page);
  return page + "```\n";
}

TEST(Verbs, StandInTheirPage) {
  if (std::getenv("FUSELAB_UPDATE_GOLDENS") != nullptr) std::ofstream(FUSELAB_PAGE_OF_VERBS) << page_of_verbs();
  std::ifstream file(FUSELAB_PAGE_OF_VERBS);
  std::ostringstream written;
  written << file.rdbuf();
  EXPECT_EQ(written.str(), page_of_verbs()) << "FUSELAB_UPDATE_GOLDENS=1 writes the page anew";
}

TEST(Verbs, OfAGroupStandTogether) {
  std::set<std::string> ended;
  std::string group;
  for (const Verb& verb : all_verbs()) {
    if (verb.group == group) continue;
    EXPECT_TRUE(ended.insert(verb.group).second) << verb.name << " is apart from the others of " << verb.group;
    group = verb.group;
  }
}

TEST(Verbs, AreCommandsWithTheirGroupAndPurpose) {
  Invocation invocation;
  const auto app = make_command_line(invocation);
  ASSERT_EQ(app->get_subcommands([](CLI::App* /*verb*/) { return true; }).size(), all_verbs().size());
  const std::string help = app->help();
  for (const Verb& verb : all_verbs()) {
    const CLI::App* const command = app->get_subcommand(verb.name);
    EXPECT_EQ(command->get_group(), verb.group);
    EXPECT_NE(help.find(verb.purpose), std::string::npos) << verb.name;
    EXPECT_EQ(command->get_description(), verb.purpose);
  }
}

}  // namespace
}  // namespace fuselab::cli
