// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/symbol_names.h"

#include "core/base/ascii.h"
#include "core/import/wire/node_names.h"

namespace fuselab::onnx {
namespace {

constexpr std::size_t kLongestWord = 64;  // is_symbol_name()

std::string word_of(const std::string& name) {
  std::string word;
  for (char c : shown(name)) word += is_letter(c) || is_digit(c) ? c : '_';
  if (word.empty() || is_digit(word.front())) word.insert(0, "_");
  return word;
}

}  // namespace

std::string SymbolNames::take(const std::string& wish) {
  std::string word = wish.substr(0, kLongestWord);
  int& number = last_number_[word];
  while (!taken_.insert(word).second) {
    const std::string suffix = "_" + std::to_string(number = number == 0 ? 2 : number + 1);
    word = wish.substr(0, kLongestWord - suffix.size()) + suffix;
  }
  return word;
}

void SymbolNames::keep(const std::string& name) {
  if (is_symbol_name(name) && taken_.insert(name).second) words_.emplace(name, name);
}

Dim SymbolNames::named(const std::string& name, std::vector<std::string>& notes) {
  const auto [entry, fresh] = words_.emplace(name, "");
  if (fresh) {
    const std::string wish = word_of(name);
    entry->second = take(wish);
    if (entry->second != wish) notes.push_back("dimension '" + shown(name) + "' is called " + entry->second + " here");
  }
  return Dim::symbol(entry->second);
}

Dim SymbolNames::unnamed(const std::string& tensor, std::size_t axis) {
  // Unlike any name that a file would give.
  const auto [entry, fresh] = words_.emplace(std::string("\0", 1) + std::to_string(axis) + " " + tensor, "");
  if (fresh) entry->second = take(word_of(shown(tensor) + "_" + std::to_string(axis)));
  return Dim::symbol(entry->second);
}

}  // namespace fuselab::onnx
