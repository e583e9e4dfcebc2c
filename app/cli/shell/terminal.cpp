// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/plain_text.h"
#include "core/platform/machine/terminal_size.h"

namespace fuselab::cli {
namespace {

std::string styled(bool colour, const char* code, std::string_view text) {
  return colour ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return align == Align::kLeft ? text + space : space + text;
}

std::vector<std::vector<std::string>> plain(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = plain_line(cell);
  }
  return rows;
}

std::string trimmed_right(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// no-color.org: set and not empty. A "dumb" terminal shows escape codes instead of following them.
Terminal terminal_of(const platform::TerminalSize& size) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  Terminal terminal;
  terminal.interactive = size.is_terminal && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
  terminal.colour = terminal.interactive && (no_colour == nullptr || *no_colour == '\0');
  terminal.columns = size.columns;
  terminal.rows = size.rows;
  return terminal;
}

}  // namespace

Terminal Terminal::of_stdout() {
  return terminal_of(platform::terminal_of_stdout());
}

Terminal Terminal::of_stderr() {
  return terminal_of(platform::terminal_of_stderr());
}

std::string Terminal::bold(std::string_view text) const {
  return styled(colour, "1", text);
}
std::string Terminal::dim(std::string_view text) const {
  return styled(colour, "2", text);
}
std::string Terminal::red(std::string_view text) const {
  return styled(colour, "31", text);
}
std::string Terminal::green(std::string_view text) const {
  return styled(colour, "32", text);
}

std::size_t display_width(std::string_view text) {
  // Every byte that does not continue a UTF-8 sequence starts one character.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string clipped(const std::string& text, int columns) {
  const auto room = static_cast<std::size_t>(std::max(columns, 1));
  if (display_width(text) <= room) return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; shown < room; ++end) shown += display_width(text.substr(end, 1));
  return text.substr(0, end - 1) + "…";
}

std::string render_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& cells,
                         const Terminal& terminal) {
  const auto rows = plain(cells);
  std::vector<std::size_t> widths;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    std::size_t width = display_width(columns[index].title);
    for (const auto& row : rows) width = std::max(width, display_width(row.at(index)));
    widths.push_back(width);
  }
  std::string header, rule, body;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const std::string gap = index == 0 ? "" : "  ";
    header += gap + padded(columns[index].title, widths[index], columns[index].align);
    rule += gap;
    for (std::size_t dash = 0; dash < widths[index]; ++dash) rule += "─";
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t index = 0; index < columns.size(); ++index)
      line += (index == 0 ? "" : "  ") + padded(row[index], widths[index], columns[index].align);
    body += trimmed_right(line) + "\n";
  }
  return terminal.bold(trimmed_right(header)) + "\n" + terminal.dim(rule) + "\n" + body;
}

}  // namespace fuselab::cli
