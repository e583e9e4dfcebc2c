// SPDX-License-Identifier: Apache-2.0
#include "app/engine/toml/toml_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/types/shape.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kMostTexts = 64;

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Returns the line, from 1, of the first table header that has no key ("[[["); 0 where there is none. toml++ up to 3.3 assumes that
// a key follows.
int header_without_key(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  constexpr std::string_view kBegins = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-\"']";
  int line = 1;
  bool is_first = true;  // the first in its line, apart from blanks and Unicode characters that may be blank
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    if (here == '\n') {
      ++line;
      is_first = true;
    } else if (here == '[' && is_first) {
      std::size_t next = text.find_first_not_of(kBlank, at + 1);
      if (next == at + 1 && text[next] == '[') next = text.find_first_not_of(kBlank, next + 1);
      if (next != std::string_view::npos && kBegins.find(text[next]) == std::string_view::npos) return line;
      is_first = false;
    } else if (kBlank.find(here) == std::string_view::npos && here != '\r' && static_cast<unsigned char>(here) < 0x80) {
      is_first = false;
    }
  }
  return 0;
}

}  // namespace

Result<toml::table> read_toml(std::string_view text, const std::string& name) {
  if (const int line = header_without_key(text); line > 0)
    return invalid_argument(name + ":" + std::to_string(line) + ": a table's name is missing between its brackets");
  toml::parse_result parsed = toml::parse(text, name);
  if (parsed) return std::move(parsed).table();
  return invalid_argument(name + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
                          plain_line(parsed.error().description().substr(0, 300)));
}

Error TomlTable::error_at(int line, const std::string& what) const {
  return invalid_argument(file_ + ":" + std::to_string(line) + ": " + plain_line(what));
}

Error TomlTable::error_of(std::string_view key, const std::string& what) const {
  const toml::node* const node = table_.get(key);
  return error_at(node == nullptr ? line() : static_cast<int>(node->source().begin.line), std::string(key) + " " + what);
}

Status TomlTable::knows_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, node] : table_) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    std::string known = joined(keys);
    return error_at(static_cast<int>(key.source().begin.line),
                    name_ + " knows no '" + std::string(key.str().substr(0, 60)) + "'; it has " + known);
  }
  return {};
}

Result<std::string> TomlTable::one_text(const toml::node& node, std::string_view key) const {
  const int line = static_cast<int>(node.source().begin.line);
  const auto* const value = node.as_string();
  if (value == nullptr) return error_at(line, std::string(key) + " must be a text in quotes");
  const std::string& text = value->get();
  if (text.empty()) return error_at(line, std::string(key) + " is empty");
  if (text.size() > kLongestText)
    return error_at(line, std::string(key) + " is longer than " + std::to_string(kLongestText) + " bytes");
  if (plain_line(text) != text) return error_at(line, std::string(key) + " holds characters that cannot be printed");
  return text;
}

Result<std::optional<std::string>> TomlTable::text(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::string>();
  FL_TRY(std::string value, one_text(*node, key));
  return std::optional<std::string>(std::move(value));
}

Result<std::optional<std::string>> TomlTable::long_text(std::string_view key) const {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::string>();
  const auto* const value = node->as_string();
  if (value == nullptr) return error_of(key, "must be a text in quotes");
  if (value->get().size() > kLongest) return error_of(key, "is longer than 1 MiB");
  return std::optional<std::string>(value->get());
}

Result<const toml::table*> TomlTable::table(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return static_cast<const toml::table*>(nullptr);
  if (const toml::table* const inner = node->as_table()) return inner;
  return error_of(key, "must be a table: [" + std::string(key) + "]");
}

Result<std::vector<const toml::table*>> TomlTable::tables(std::string_view key) const {
  std::vector<const toml::table*> all;
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return all;
  const toml::array* const list = node->as_array();
  const std::string expected = "must be a list of tables: [[" + std::string(key) + "]]";
  if (list == nullptr) return error_of(key, expected);
  if (list->size() > kMostTexts) return error_of(key, "lists more than " + std::to_string(kMostTexts));
  for (const toml::node& each : *list) {
    if (each.as_table() == nullptr) return error_of(key, expected);
    all.push_back(each.as_table());
  }
  return all;
}

Result<std::optional<bool>> TomlTable::yes(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<bool>();
  const auto* const value = node->as_boolean();
  if (value == nullptr) return error_of(key, "must be true or false");
  return std::optional<bool>(value->get());
}

Result<std::optional<std::vector<std::string>>> TomlTable::maybe_empty_texts(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->size() > kMostTexts) return error_of(key, "must be a list of at most 64 texts");
  std::vector<std::string> texts;
  for (const toml::node& each : *list) {
    const auto* const text = each.as_string();
    if (text != nullptr && text->get().empty()) {
      texts.emplace_back();
      continue;
    }
    FL_TRY(std::string one, one_text(each, key));
    texts.push_back(std::move(one));
  }
  return std::optional(std::move(texts));
}

Result<std::optional<std::int64_t>> TomlTable::whole(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::int64_t>();
  const auto* const value = node->as_integer();
  if (value == nullptr) return error_of(key, "must be a whole number");
  return std::optional<std::int64_t>(value->get());
}

Result<std::string> TomlTable::written(const toml::node& node, std::string_view key) const {
  if (const auto* const whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* const real = node.as_floating_point()) {
    if (!std::isfinite(real->get()))
      return error_at(static_cast<int>(node.source().begin.line), std::string(key) + " is no finite number");
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, real->get());
    return std::string(text, end.ptr);
  }
  return one_text(node, key);
}

Result<std::optional<std::string>> TomlTable::written(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::string>();
  FL_TRY(std::string text, written(*node, key));
  return std::optional<std::string>(std::move(text));
}

Result<std::optional<std::vector<std::string>>> TomlTable::all_written(std::string_view key) const {
  constexpr std::size_t kMost = 4096;
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  std::vector<std::string> all;
  const toml::array* const list = node->as_array();
  if (list == nullptr) {
    FL_TRY(std::string one, written(*node, key));
    return std::optional(std::vector<std::string>{std::move(one)});
  }
  if (list->size() > kMost) return error_of(key, "lists more than " + std::to_string(kMost));
  for (const toml::node& each : *list) {
    FL_TRY(std::string one, written(each, key));
    all.push_back(std::move(one));
  }
  return std::optional(std::move(all));
}

Result<std::optional<double>> TomlTable::number(std::string_view key, double above, double up_to, std::string_view unit) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<double>();
  const auto value = node->value<double>();
  if (!node->is_number() || !value) return error_of(key, "must be a number, in " + std::string(unit));
  if (std::isfinite(*value) && *value > above && *value <= up_to) return std::optional<double>(*value);
  return error_of(key, "must lie above " + number_text(above) + " and be at most " + number_text(up_to) + " " + std::string(unit));
}

Result<std::optional<std::vector<std::string>>> TomlTable::texts(std::string_view key) const {
  using Texts = std::vector<std::string>;
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<Texts>();
  const toml::array* const list = node->as_array();
  if (list == nullptr) {
    if (!node->is_string()) return error_of(key, "must be a text or a list of texts");
    FL_TRY(std::string value, one_text(*node, key));
    return std::optional<Texts>(Texts{std::move(value)});
  }
  if (list->size() > kMostTexts) return error_of(key, "lists more than " + std::to_string(kMostTexts));
  if (list->empty()) return error_of(key, "is an empty list");
  Texts values;
  for (const toml::node& each : *list) {
    FL_TRY(std::string value, one_text(each, key));
    values.push_back(std::move(value));
  }
  return std::optional<Texts>(std::move(values));
}

Result<std::optional<std::string>> TomlTable::shape(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr) return std::optional<std::string>();
  std::string text;
  if (const toml::table* const extents = node->as_table()) {
    if (extents->size() > kMostTexts) return error_of(key, "names more than " + std::to_string(kMostTexts) + " extents");
    for (const auto& [symbol, extent] : *extents) {
      const auto* const whole = extent.as_integer();
      if (whole == nullptr) return error_of(key, "gives '" + std::string(symbol.str().substr(0, 60)) + "' what is no whole number");
      text += (text.empty() ? "" : ",") + std::string(symbol.str()) + "=" + std::to_string(whole->get());
    }
  } else {
    FL_TRY(text, one_text(*node, key));
  }
  const auto bindings = parse_bindings(text);
  if (!bindings.ok()) return error_of(key, "cannot be read: " + bindings.error().message);
  std::string canonical;
  for (const auto& [symbol, extent] : bindings.value())
    canonical += (canonical.empty() ? "" : ",") + symbol + "=" + std::to_string(extent);
  return std::optional<std::string>(std::move(canonical));
}

}  // namespace fuselab::engine
