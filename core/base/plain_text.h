// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab {

// Makes untrusted text (names in a model, rows of a database, output of a compiler) safe for a terminal or a page: control
// characters (C0, DEL, C1), marks that turn the direction of text and bytes that are not UTF-8 become '?'. The result moves no
// cursor, hides nothing and is valid UTF-8. No line of it is a command to the runner of a CI service, which would take "::error" of
// a model's name for one: a space breaks it.
std::string plain_line(std::string_view text);
// Does the same for text of several lines: line ends and tabs stay.
std::string plain_text(std::string_view text);
// Cuts words that are longer than any sensible name or path, and marks each by '…': an error repeats what somebody gave it.
std::string with_short_words(std::string_view text);

}  // namespace fuselab
