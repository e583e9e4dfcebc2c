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
  return page;
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
