// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/launch_config.h"

#include <cctype>
#include <charconv>

namespace fuselab {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool is_value_character(char c) {
  return is_name_character(c) || c == '-' || c == '+' || c == 'x' || c == ':' || c == '/';
}

template <typename Predicate>
bool all_of(std::string_view text, Predicate predicate) {
  for (const char c : text) {
    if (!predicate(c)) return false;
  }
  return !text.empty();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// A value that reads wholly as an integer is one; anything else is a choice's name.
Result<ParameterValue> parse_value(std::string_view name, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return ParameterValue(number);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return invalid_argument("launch configuration: " + std::string(name) + "=" + std::string(text) + " does not fit 64 bits");
  }
  if (!all_of(text, is_value_character)) {
    return invalid_argument("launch configuration: '" + std::string(text) + "' is no value for '" + std::string(name) +
                            "': expected an integer or a word");
  }
  return ParameterValue(std::string(text));
}

}  // namespace

std::string parameter_text(const ParameterValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Result<LaunchConfig> LaunchConfig::parse(std::string_view text) {
  LaunchConfig config;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (comma != std::string_view::npos && trimmed(rest).empty()) {
      return invalid_argument("launch configuration '" + std::string(text) + "' ends with a comma");
    }
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return invalid_argument("launch configuration: expected name=value, got '" + std::string(item) + "'");
    }
    const std::string_view name = trimmed(item.substr(0, equals));
    if (!all_of(name, is_name_character)) {
      return invalid_argument("launch configuration: '" + std::string(name) + "' is no parameter name");
    }
    if (config.has(name)) return invalid_argument("launch configuration: '" + std::string(name) + "' is given twice");
    FL_TRY(ParameterValue value, parse_value(name, trimmed(item.substr(equals + 1))));
    config.set(std::string(name), std::move(value));
  }
  return config;
}

std::string LaunchConfig::text() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    if (!text.empty()) text += ',';
    text += name;
    text += '=';
    text += parameter_text(value);
  }
  return text;
}

std::int64_t LaunchConfig::integer(std::string_view name, std::int64_t otherwise) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return otherwise;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number != nullptr ? *number : otherwise;
}

std::string LaunchConfig::choice(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return std::string(otherwise);
  const auto* word = std::get_if<std::string>(&found->second);
  return word != nullptr ? *word : std::string(otherwise);
}

}  // namespace fuselab
