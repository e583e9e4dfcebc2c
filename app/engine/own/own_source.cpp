// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_source.h"

#include <algorithm>
#include <string_view>

#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargestSource{std::int64_t{1} << 20};
constexpr int kDeepest = 16, kMostFiles = 1000;
constexpr std::string_view kBlank = " \t\r\f\v";

// Takes comments away, which may begin in one line and end in another. Only directives are looked for in what is left.
class CommentStripper {
 public:
  std::string strip(std::string_view line) {
    std::string kept;
    char quote = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string_view two = line.substr(at, 2);
      if (in_comment_) {
        if (two != "*/") continue;
        in_comment_ = false;
        ++at;
      } else if (quote != 0) {
        kept += line[at];
        if (line[at] == quote) quote = 0;
        if (line[at] == '\\' && at + 1 < line.size()) kept += line[++at];
      } else if (two == "/*") {
        in_comment_ = true;
        kept += ' ';
        ++at;
      } else if (two == "//") {
        break;
      } else {
        if (line[at] == '"' || line[at] == '\'') quote = line[at];
        kept += line[at];
      }
    }
    return kept;
  }

 private:
  bool in_comment_ = false;
};

// The lines of a text as C's preprocessor sees them: a backslash at the end of one joins the next.
class LogicalLines {
 public:
  explicit LogicalLines(std::string_view text) : rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    joined.clear();
    written.clear();
    number += physical_;
    physical_ = 0;
    bool continues = true;
    while (continues && !rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++physical_;
      written += std::string(line) + "\n";
      const std::size_t last = line.find_last_not_of(kBlank);
      continues = last != std::string_view::npos && line[last] == '\\';
      joined += continues ? line.substr(0, last) : line;
    }
    return true;
  }
  int next_number() const { return number + physical_; }

  std::string joined, written;
  int number = 1;  // of the first

 private:
  std::string_view rest_;
  int physical_ = 0;
};

// A directive that reads another file.
struct Inclusion {
  bool reads = false;
  std::string quoted;  // a file of the kernel's folder; empty: a header of the compiler
};

// Fails with kInvalidArgument for one that is not taken.
Result<Inclusion> inclusion_in(std::string_view line, const std::string& place) {
  std::size_t at = line.find_first_not_of(kBlank);
  if (at == std::string_view::npos || (line[at] != '#' && line.substr(at, 2) != "%:")) return Inclusion{};
  at = line.find_first_not_of(kBlank, at + (line[at] == '#' ? 1 : 2));
  if (at == std::string_view::npos) return Inclusion{};
  const std::size_t end = std::min(line.find_first_of(" \t\r\f\v\"<", at), line.size());
  const std::string_view word = line.substr(at, end - at);
  if (word == "include_next" || word == "import" || word == "embed")
    return invalid_argument(place + "#" + std::string(word) + " is not taken");
  if (word != "include") return Inclusion{};
  at = line.find_first_not_of(kBlank, end);
  const char opening = at == std::string_view::npos ? ' ' : line[at];
  const std::size_t closing = at == std::string_view::npos ? at : line.find(opening == '<' ? '>' : '"', at + 1);
  if ((opening != '<' && opening != '"') || closing == std::string_view::npos)
    return invalid_argument(place + "#include needs a name in quotes or in angle brackets");
  const std::string name(line.substr(at + 1, closing - at - 1));
  if (opening == '"') return Inclusion{true, name};
  if (name.starts_with("/") || name.find("..") != std::string::npos)
    return invalid_argument(place + "<" + name + "> is no header of the compiler");
  return Inclusion{};
}

class SourceReader {
 public:
  explicit SourceReader(const std::filesystem::path& folder) : folder_(folder) {}

  Status add(const std::string& file, const std::string& from) {
    if (!stays_inside(folder_, file))
      return invalid_argument(from + "'" + file + "' lies outside of the folder of the kernel's file; copy it there");
    if (++depth_ > kDeepest) return invalid_argument(from + "includes go deeper than " + std::to_string(kDeepest));
    if (++files_ > kMostFiles) return invalid_argument(from + "more than " + std::to_string(kMostFiles) + " files are included");
    const auto bytes = platform::read_file(folder_ / file, kLargestSource);
    if (!bytes.ok()) return bytes.error().within(from + "'" + file + "'");
    const std::string text(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size());
    if (text.find('\0') != std::string::npos) return invalid_argument(from + "'" + file + "' is no text");
    const std::string marks = "??";  // of a trigraph, which could spell a directive
    if (text.find(marks + "=") != std::string::npos || text.find(marks + "/") != std::string::npos)
      return invalid_argument(from + "'" + file + "' holds trigraphs, which are not taken");
    const bool once = text.find("#pragma once") != std::string::npos;
    if (once && std::ranges::find(seen_, file) != seen_.end()) return leave();
    seen_.push_back(file);
    text_ += "#line 1 \"" + file + "\"\n";
    FL_TRY_VOID(add_lines(file, text, once));
    return leave();
  }
  std::string take() { return std::move(text_); }

 private:
  Status leave() {
    --depth_;
    return {};
  }

  Status add_lines(const std::string& file, const std::string& text, bool once) {
    LogicalLines lines(text);
    CommentStripper comments;
    while (lines.next()) {
      const std::string place = file + ":" + std::to_string(lines.number) + ": ";
      const std::string stripped = comments.strip(lines.joined);
      FL_TRY(const Inclusion found, inclusion_in(stripped, place));
      // A mark of a file by itself means nothing in one text.
      const bool is_mark = once && stripped.find("#pragma once") != std::string::npos;
      if (!found.reads) {
        text_ += is_mark ? "\n" : lines.written;
      } else {
        FL_TRY_VOID(add(found.quoted, place));
        text_ += "#line " + std::to_string(lines.next_number()) + " \"" + file + "\"\n";
      }
      if (static_cast<std::int64_t>(text_.size()) > kLargestSource.count)
        return invalid_argument(place + "the kernel's text is longer than 1 MiB");
    }
    return {};
  }

  std::filesystem::path folder_;
  std::vector<std::string> seen_;
  std::string text_;
  int depth_ = 0, files_ = 0;
};

}  // namespace

bool stays_inside(const std::filesystem::path& in, const std::filesystem::path& file) {
  const std::filesystem::path folder = in.empty() ? std::filesystem::path(".") : in;
  if (file.is_absolute() || file.empty()) return false;
  if (std::ranges::any_of(file, [](const std::filesystem::path& part) { return part == ".."; })) return false;
  std::error_code failed;
  const auto real = std::filesystem::canonical(folder / file, failed);
  if (failed) return true;  // reading it says what is wrong
  const auto root = std::filesystem::canonical(folder, failed);
  return !failed && std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

Result<std::string> read_own_source(const std::filesystem::path& folder, const std::vector<std::string>& files) {
  SourceReader reader(folder.empty() ? std::filesystem::path(".") : folder);
  for (const std::string& file : files) FL_TRY_VOID(reader.add(file, ""));
  return reader.take();
}

Result<std::string> read_own_text(const std::filesystem::path& folder, const std::string& file) {
  if (!stays_inside(folder, file))
    return invalid_argument("'" + file + "' lies outside of the folder of the kernel's file; copy it there");
  FL_TRY(const std::vector<std::byte> bytes, platform::read_file(folder / file, kLargestSource));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace fuselab::engine
