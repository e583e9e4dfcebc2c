// SPDX-License-Identifier: Apache-2.0
#include "core/base/plain_text.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(PlainText, LeavesWordsOfAnyLanguageAlone) {
  for (const char* text : {"", "Add+Gelu on cpu:0", "µs → ±5 %", "Größe 尺寸 😀", "~"}) {
    EXPECT_EQ(plain_line(text), text);
    EXPECT_EQ(plain_text(text), text);
  }
}

TEST(PlainText, ControlCharactersOfBothRangesBecomeQuestionMarks) {
  EXPECT_EQ(plain_line("evil\x1b[2J"), "evil?[2J");
  EXPECT_EQ(plain_line(std::string("a\0b\rc\x7f", 6)), "a?b?c?");
  EXPECT_EQ(plain_line("\xc2\x9b"
                       "2J"),
            "?2J")
      << "C1 as UTF-8";
  EXPECT_EQ(plain_line("\x9b"
                       "2J"),
            "?2J")
      << "C1 as a byte of its own";
  EXPECT_EQ(plain_line("a\xe2\x80\xae"
                       "b"),
            "a?b")
      << "right to left from here on";
}

TEST(PlainText, LinesStayOnlyWhereThereMayBeSeveral) {
  EXPECT_EQ(plain_line("a\n\tb"), "a??b");
  EXPECT_EQ(plain_text("a\n\tb\x1b"), "a\n\tb?");
}

TEST(PlainText, BytesThatAreNoUtf8BecomeOneQuestionMarkEach) {
  EXPECT_EQ(plain_line("M\xfcller"), "M?ller");
  EXPECT_EQ(plain_line("cut \xe2\x82"), "cut ??");
  EXPECT_EQ(plain_line("\xc1\x9b"), "??") << "longer than need be";
  EXPECT_EQ(plain_line("\xed\xa0\x80\xf4\x90\x80\x80"), "???????") << "half a pair, and beyond the last character";
}

TEST(PlainText, WordsThatAreNoNamesAreCut) {
  EXPECT_EQ(with_short_words("'" + std::string(5000, 'x') + "' is no name"), "'" + std::string(199, 'x') + "… is no name");
  EXPECT_EQ(with_short_words("a b\nc "), "a b\nc ");
  EXPECT_EQ(with_short_words(""), "");
}

TEST(PlainText, NoLineIsACommandToARunner) {
  EXPECT_EQ(plain_line("::error ::x"), ": :error ::x");
  EXPECT_EQ(plain_line("  ::stop-commands::x"), "  : :stop-commands::x");
  EXPECT_EQ(plain_line("a ##[set-env name=x]##[b"), "a # #[set-env name=x]# #[b");
  EXPECT_EQ(plain_line("##vso[task.setvariable]\x1b"), "# #vso[task.setvariable]?");
  EXPECT_EQ(plain_line("\u00a0\u3000::error"), "\u00a0\u3000: :error") << "blanks that a runner trims";
  EXPECT_EQ(plain_line("a::b of 1.310x"), "a::b of 1.310x");
  EXPECT_EQ(plain_line(""), "");
  EXPECT_EQ(plain_text("a\n::error file=x::y\n \t::b\nc::d"), "a\n: :error file=x::y\n \t: :b\nc::d");
}

}  // namespace
}  // namespace fuselab
