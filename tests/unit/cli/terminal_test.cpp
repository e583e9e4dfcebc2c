// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/terminal.h"

#include <gtest/gtest.h>

namespace fuselab::cli {
namespace {

TEST(Terminal, AddsEscapeCodesOnlyForColour) {
  Terminal plain;
  EXPECT_EQ(plain.bold("x") + plain.dim("y") + plain.red("z") + plain.green("w"), "xyzw");
  Terminal colourful;
  colourful.colour = true;
  EXPECT_EQ(colourful.green("ok"), "\x1b[32mok\x1b[0m");
}

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("12.3 µs"), 7U);
  EXPECT_EQ(display_width("…"), 1U);
  EXPECT_EQ(display_width("→ ±2%"), 5U);
}

TEST(Clipped, KeepsWhatFitsAndMarksTheCut) {
  EXPECT_EQ(clipped("measuring", 9), "measuring");
  EXPECT_EQ(clipped("measuring", 8), "measuri…");
  EXPECT_EQ(clipped("µµµµ", 3), "µµ…");
  EXPECT_EQ(clipped("measuring", 1), "…");
  EXPECT_EQ(clipped("measuring", 0), "…");
}

TEST(RenderTable, AlignsByDisplayedWidth) {
  const std::string text = render_table({{"name"}, {"time", Align::kRight}}, {{"a", "12.3 µs"}, {"long name", "…"}}, Terminal());
  EXPECT_EQ(text,
            "name          time\n"
            "─────────  ───────\n"
            "a          12.3 µs\n"
            "long name        …\n");
}

TEST(RenderTable, HasNoBlanksAtTheEndOfLines) {
  const std::string text = render_table({{"a"}, {"b"}}, {{"x", ""}, {"long", "y"}}, Terminal());
  EXPECT_EQ(text.find(" \n"), std::string::npos) << text;
}

}  // namespace
}  // namespace fuselab::cli
