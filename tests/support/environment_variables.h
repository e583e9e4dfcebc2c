// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <map>
#include <string>

namespace fuselab::test {

// Environment variables as a test wants them, put back afterwards.
class Variables {
 public:
  Variables() = default;
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  ~Variables() {
    for (const auto& [name, before] : before_) put(name, before);
  }

  void set(const std::string& name, const std::string& value) {
    const char* const now = std::getenv(name.c_str());
    before_.emplace(name, now == nullptr ? "" : now);
    put(name, value);
  }

 private:
  static void put(const std::string& name, const std::string& value) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }

  std::map<std::string, std::string> before_;
};

}  // namespace fuselab::test
