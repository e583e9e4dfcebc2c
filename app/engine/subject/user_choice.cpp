// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/user_choice.h"

#include <sstream>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// The same setting as in app/engine/toml/toml_table.h, so that all of the program has one library.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargestFile{1 << 16};
constexpr std::size_t kMostNames = 64, kLongestName = 100;

Error error_at(const std::filesystem::path& file, const toml::source_region& where, const std::string& what) {
  return invalid_argument(file.string() + ":" + std::to_string(where.begin.line) + ": " + plain_line(what));
}

// Returns an empty table where the file does not exist.
Result<toml::table> read_table(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return toml::table();
  FL_TRY(const std::vector<std::byte> bytes, platform::read_file(file, kLargestFile));
  toml::parse_result parsed =
      toml::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file.string());
  if (!parsed) return error_at(file, parsed.error().source(), std::string(parsed.error().description()));
  return std::move(parsed).table();
}

Result<std::vector<std::string>> names_of(const std::filesystem::path& file, const toml::table& table, std::string_view key) {
  std::vector<std::string> names;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return names;
  const std::string wrong = std::string(key) + " is a list of names of devices or backends, such as [\"cuda\", \"cpu\"]";
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->size() > kMostNames) return error_at(file, node->source(), wrong);
  for (const toml::node& each : *list) {
    const auto name = each.value<std::string>();
    if (!name || !each.is_string() || name->empty() || name->size() > kLongestName) return error_at(file, each.source(), wrong);
    names.push_back(*name);
  }
  return names;
}

toml::array array_of(const std::vector<std::string>& names) {
  toml::array list;
  for (const std::string& name : names) list.push_back(name);
  return list;
}

}  // namespace

Result<UserPreferences> read_user_preferences(const std::filesystem::path& file) {
  FL_TRY(const toml::table table, read_table(file));
  for (const auto& [key, node] : table) {
    if (key.str() == "prefer" || key.str() == "fallback") continue;
    return error_at(file, key.source(),
                    "'" + std::string(key.str().substr(0, 60)) + "' is not known; there are prefer and fallback");
  }
  UserPreferences preferences;
  FL_TRY(preferences.prefer, names_of(file, table, "prefer"));
  FL_TRY(preferences.fallback, names_of(file, table, "fallback"));
  return preferences;
}

Result<std::optional<StoredDefault>> read_stored_default(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return std::optional<StoredDefault>();
  const auto table = read_table(file);
  const std::string remedy = "; `fuselab default clear` removes it";
  if (!table.ok()) return Error{ErrorCode::kCorrupt, table.error().message + remedy};
  StoredDefault chosen;
  chosen.backend = table.value()["backend"].value_or(std::string());
  chosen.evidence = table.value()["evidence"].value_or(std::string());
  chosen.tool_version = table.value()["tool_version"].value_or(std::string());
  chosen.set_unix_ms = table.value()["set_unix_ms"].value_or(std::int64_t{0});
  const auto fallback = names_of(file, table.value(), "fallback");
  if (chosen.backend.empty() || !fallback.ok())
    return Error{ErrorCode::kCorrupt, file.string() + " names no default backend" + remedy};
  chosen.fallback = fallback.value();
  return std::optional(std::move(chosen));
}

Status write_stored_default(const std::filesystem::path& file, const StoredDefault& chosen) {
  const toml::table table{{"backend", chosen.backend},
                          {"fallback", array_of(chosen.fallback)},
                          {"evidence", chosen.evidence},
                          {"tool_version", chosen.tool_version},
                          {"set_unix_ms", chosen.set_unix_ms}};
  std::ostringstream text;
  text << "# Written by `fuselab default set`.\n" << table << "\n";
  const std::string written = text.str();
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  if (failed) return Error{ErrorCode::kIo, file.parent_path().string() + ": " + failed.message()};
  return platform::write_file_atomically(file, std::as_bytes(std::span(written.data(), written.size())));
}

Result<bool> clear_stored_default(const std::filesystem::path& file) {
  std::error_code failed;
  const bool removed = std::filesystem::remove(file, failed);
  if (failed) return Error{ErrorCode::kIo, file.string() + ": " + failed.message()};
  return removed;
}

std::filesystem::path preferences_file(const std::filesystem::path& folder) {
  return folder / "config.toml";
}

std::filesystem::path default_file(const std::filesystem::path& folder) {
  return folder / "default.toml";
}

}  // namespace fuselab::engine
