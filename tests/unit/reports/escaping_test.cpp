// SPDX-License-Identifier: Apache-2.0
#include "app/reports/escaping.h"

#include <gtest/gtest.h>

#include "app/reports/json_text.h"

namespace fuselab::reports {
namespace {

TEST(Escaping, XmlHoldsNoCharacterThatXmlForbids) {
  EXPECT_EQ(xml_line("a\x01\x0b\nb\xef\xbf\xbe\xef\xbf\xbf\xff<&"),
            "a??"
            "?b??"
            "?<&");
}

TEST(Escaping, HtmlTextOpensNoElementAndEndsNoAttribute) {
  EXPECT_EQ(html_text("<a b=\"c\" d='e'>&\x1b\n"), "&lt;a b=&quot;c&quot; d='e'&gt;&amp;?\n");
}

TEST(Escaping, MarkdownTextMarksNothingUp) {
  EXPECT_EQ(markdown_text("a|b`c`*d*"), "a&#124;b&#96;c&#96;&#42;d&#42;");
  EXPECT_EQ(markdown_text("<b>&amp; [x](y)\n# z"), "&#60;b&#62;&#38;amp; &#91;x&#93;(y)?&#35; z");
  EXPECT_EQ(markdown_text("http://e www.e @all #1 $x$ ~~s~~ _e_"),
            "http&#58;//e www&#46;e &#64;all &#35;1 &#36;x&#36; &#126;&#126;s&#126;&#126; &#95;e&#95;");
  EXPECT_EQ(markdown_text("rows=128,cols=1024 1.5 %"), "rows=128,cols=1024 1.5 %");
}

TEST(Escaping, CommandsEndWhereTheyShould) {
  EXPECT_EQ(command_message("50 %\r\nb: c, d"), "50 %25?%0Ab: c, d");
  EXPECT_EQ(command_property("a,b:c::d%0A\n"), "a%2Cb%3Ac%3A%3Ad%250A?");
}

TEST(Escaping, PathsAreUriReferences) {
  EXPECT_EQ(uri_path("bench/my file#1?.toml"), "bench/my%20file%231%3F.toml");
  EXPECT_EQ(uri_path("grüße:100%"), "gr%C3%BC%C3%9Fe%3A100%25");
}

TEST(Escaping, JsonMovesNoCursor) {
  EXPECT_EQ(with_escaped_controls("\"\x7f\xc2\x9b\xc3\xbc\""), "\"\\u007f\\u009b\xc3\xbc\"");
}

}  // namespace
}  // namespace fuselab::reports
