// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Words of strangers (names of models, reasons of drivers, lines of a configuration) made harmless for one format each. What is no
// UTF-8 and control characters become '?' in all of them.
namespace fuselab::reports {

// Characters that XML 1.0 allows, on one line; not escaped yet: the XML library does that (W3C, XML 1.0, production 2).
std::string xml_line(std::string_view text);

// Content of an HTML element or of an attribute in double quotes; line ends and tabs stay.
std::string html_text(std::string_view text);

// One line for GitHub's Markdown, in the place of inline text, a table's cell included: every character that could mark up, link,
// mention or quote is a numeric character reference, which CommonMark (section 6.2) never takes for structure.
std::string markdown_text(std::string_view text);
// The same as code, where GitHub links and mentions nothing either.
std::string markdown_code(std::string_view text);

// One printed line, or the rest of one, in the log of a job: nothing in it is a command to the runner, which takes "::" at a line's
// beginning and "##[" and "##vso[" anywhere for one (GitHub actions/runner, ActionCommand.cs; Azure Pipelines, "Logging commands").
std::string log_line(std::string_view text);

// Message and property of a workflow command (GitHub, "Workflow commands for GitHub Actions").
std::string command_message(std::string_view text);
std::string command_property(std::string_view text);

// A path as a URI reference: RFC 3986, everything but unreserved characters and '/' percent-encoded.
std::string uri_path(std::string_view path);

}  // namespace fuselab::reports
