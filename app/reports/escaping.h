// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Escapes text from outside (names of models, reasons of drivers, lines of a configuration) for one format each. Invalid UTF-8 and
// control characters become '?' in all of them.
namespace fuselab::reports {

// Returns one line of characters that XML 1.0 allows (W3C, XML 1.0, production 2). It is not escaped yet: the XML library does
// that.
std::string xml_line(std::string_view text);

// Escapes the content of an HTML element or of an attribute in double quotes; line ends and tabs stay.
std::string html_text(std::string_view text);

// Escapes one line for GitHub's Markdown as inline text, including in a table's cell: every character that could mark up, link,
// mention or quote becomes a numeric character reference, which CommonMark (section 6.2) never takes for structure.
std::string markdown_text(std::string_view text);
// Does the same as code, in which GitHub links and mentions nothing either.
std::string markdown_code(std::string_view text);

// Escape the message and a property of a workflow command (GitHub, "Workflow commands for GitHub Actions").
std::string command_message(std::string_view text);
std::string command_property(std::string_view text);

// Returns a path as a URI reference: RFC 3986, everything but unreserved characters and '/' percent-encoded.
std::string uri_path(std::string_view path);

}  // namespace fuselab::reports
