// SPDX-License-Identifier: Apache-2.0
// The guide's table of all systems is written from their rows; FUSELAB_UPDATE_GOLDENS=1 writes it anew.
#include <gtest/gtest.h>

#include "backends/systems.h"
#include "tests/support/recorded_text.h"

namespace fuselab {
namespace {

constexpr std::string_view kIntroduction =
    "# Systems\n\n"
    "Every system that Fuselab names, in the order in which they are shown: the rows of `backends/systems.cpp`, from which a test "
    "writes "
    "this\npage (`FUSELAB_UPDATE_GOLDENS=1`). A system is driven when `backends/` has a folder of its id; `fuselab devices` says "
    "which of "
    "them this\nmachine can use, and why not the others. [How to add one](development/adding-a-backend.md).\n\n"
    "| id | system | kind | runs on | licence of what it opens | libraries, any one of them |\n|---|---|---|---|---|---|\n";

std::string_view words_for(RunsOn device) {
  switch (device) {
    case RunsOn::kHardware: return "hardware";
    case RunsOn::kGpu: return "a GPU";
    case RunsOn::kSoftware: return "software";
  }
  return "";
}

std::string joined(std::span<const std::string_view> libraries) {
  std::string line;
  for (const auto library : libraries) line.append(line.empty() ? "`" : ", `").append(library).append("`");
  return line.empty() ? "-" : line;
}

TEST(Systems, StandInTheGuideAsInTheirRows) {
  std::string page(kIntroduction);
  for (const auto& info : known_backends()) {
    page.append("| `").append(info.id).append("` | ").append(info.display_name).append(" | ").append(info.kind).append(" | ");
    page.append(words_for(info.runs_on)).append(" | ").append(info.licence.empty() ? "-" : info.licence).append(" | ");
    page.append(joined(info.required_libraries)).append(" |\n");
  }
  test::expect_as_recorded(FUSELAB_SYSTEMS_PAGE, page);
}

}  // namespace
}  // namespace fuselab
