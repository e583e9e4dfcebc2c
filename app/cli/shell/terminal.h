// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuselab::cli {

// The abilities of a standard stream. Colour only on a terminal and without NO_COLOR (no-color.org).
struct Terminal {
  bool interactive = false;  // a line can be rewritten in place
  bool colour = false;
  int columns = 100;
  int rows = 24;

  static Terminal of_stdout();
  static Terminal of_stderr();
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
  std::string red(std::string_view text) const;
  std::string green(std::string_view text) const;
};

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// Returns how many columns a terminal uses for UTF-8 text without combining marks.
std::size_t display_width(std::string_view text);

// Returns the text, or as much of its beginning as fits into `columns`, with "…" at the end.
std::string clipped(const std::string& text, int columns);

// Returns a plain table: titles, a rule, one line a row; columns as wide as their widest cell. Escape codes in cells are removed.
std::string render_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& cells,
                         const Terminal& terminal);

}  // namespace fuselab::cli
