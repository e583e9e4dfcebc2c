// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_source.h"

#include <algorithm>
#include <sstream>

#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargestSource{std::int64_t{1} << 20};
constexpr int kDeepest = 16;

class SourceReader {
 public:
  explicit SourceReader(const std::filesystem::path& folder) : folder_(folder) {}

  Status add(const std::string& file, const std::string& from) {
    if (!stays_inside(folder_, file))
      return invalid_argument(from + "'" + file + "' lies outside of the folder of the kernel's file; copy it there");
    if (++depth_ > kDeepest) return invalid_argument(from + "includes go deeper than " + std::to_string(kDeepest));
    const auto bytes = platform::read_file(folder_ / file, kLargestSource);
    if (!bytes.ok()) return bytes.error().within(from + "'" + file + "'");
    const std::string text(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size());
    if (text.find('\0') != std::string::npos) return invalid_argument(from + "'" + file + "' is no text");
    FL_TRY_VOID(add_lines(file, text));
    --depth_;
    return {};
  }
  std::string take() { return std::move(text_); }

 private:
  Status add_lines(const std::string& file, const std::string& text) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::string place = file + ":" + std::to_string(number) + ": ";
      FL_TRY(const std::string included, included_by(line, place));
      if (included.empty()) {
        text_ += line + "\n";
      } else if (std::ranges::find(seen_, included) == seen_.end()) {
        seen_.push_back(included);  // as if it had an include guard
        text_ += "#line 1 \"" + included + "\"\n";
        FL_TRY_VOID(add(included, place));
        text_ += "#line " + std::to_string(number + 1) + " \"" + file + "\"\n";
      } else {
        text_ += "\n";
      }
      if (static_cast<std::int64_t>(text_.size()) > kLargestSource.count)
        return invalid_argument(place + "the kernel's text is longer than 1 MiB");
    }
    return {};
  }

  // Returns the file that a line includes in quotes; empty: none.
  static Result<std::string> included_by(const std::string& line, const std::string& place) {
    constexpr std::string_view kBlank = " \t\r";
    std::size_t at = line.find_first_not_of(kBlank);
    if (at == std::string::npos || line[at] != '#') return std::string();
    at = line.find_first_not_of(kBlank, at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) {
      const bool embeds = at != std::string::npos && line.compare(at, 5, "embed") == 0;
      return embeds ? Result<std::string>(invalid_argument(place + "#embed is not taken")) : Result<std::string>(std::string());
    }
    at = line.find_first_not_of(kBlank, at + 7);
    const char opening = at == std::string::npos ? ' ' : line[at];
    const std::size_t end = at == std::string::npos ? at : line.find(opening == '<' ? '>' : '"', at + 1);
    if ((opening != '<' && opening != '"') || end == std::string::npos)
      return invalid_argument(place + "#include needs a name in quotes or in angle brackets");
    const std::string name = line.substr(at + 1, end - at - 1);
    if (opening == '"') return name;
    if (name.starts_with("/") || name.find("..") != std::string::npos)
      return invalid_argument(place + "<" + name + "> is no header of the compiler");
    return std::string();
  }

  std::filesystem::path folder_;
  std::vector<std::string> seen_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

bool stays_inside(const std::filesystem::path& folder, const std::filesystem::path& file) {
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

}  // namespace fuselab::engine
