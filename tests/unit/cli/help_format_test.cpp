// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/help_format.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/toy_commands.h"

namespace fuselab::cli {
namespace {

TEST(HelpFormat, ListsVerbsUnderTheirGroups) {
  EXPECT_EQ(toy_commands()->help(), R"(A toy.
Usage: fuselab [OPTIONS] [VERB]

Options:
  -h,--help                   Print this and exit
  --db FILE                   Database file

Work:
  paint                       Colour a subject

Care:
  shelf                       Keep files

)");
}

TEST(HelpFormat, ShowsValuesDefaultsAndExamples) {
  EXPECT_EQ(toy_commands()->get_subcommand("paint")->help(), R"(Colour a subject
Usage: paint [OPTIONS] SUBJECT

What:
  SUBJECT                     What is painted

Options:
  -h,--help                   Print this and exit
  --mode wet|dry              It's wet or dry (default: wet)
  --seed N                    Of the colours
  -q,--quick                  One coat

Examples:
  fuselab paint wall

Every verb also takes --json, --quiet, --db FILE, --follow-links and --synthetic: see `fuselab --help`.
)");
}

}  // namespace
}  // namespace fuselab::cli
