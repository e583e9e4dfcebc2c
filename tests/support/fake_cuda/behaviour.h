// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

// What a library shows to those that open it; one that is made of another's parts keeps theirs to itself.
#ifndef FAKE_EXPORT
#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace fuselab::fake_cuda {

// How a fake library is to behave, from an environment variable: "name" or "name=value", separated by commas. Read at every call,
// so that a test can change it while the library stays loaded.
class Behaviour {
 public:
  static Behaviour of(const char* variable) {
    Behaviour behaviour;
    const char* const set = std::getenv(variable);
    const std::string text = set == nullptr ? "" : set;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const std::string word = text.substr(at, end - at);
      const std::size_t equals = std::min(word.find('='), word.size());
      behaviour.values_[word.substr(0, equals)] = equals < word.size() ? word.substr(equals + 1) : "";
      at = end + 1;
    }
    return behaviour;
  }

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  std::optional<std::string> text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<long> number(const std::string& name) const {
    const auto held = text(name);
    return held ? std::optional(std::atol(held->c_str())) : std::nullopt;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace fuselab::fake_cuda
