// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fuselab::declared {

// What looking for a shared library gave.
struct LibrarySearch {
  std::string found;    // the soname that opened; empty when none did
  std::string problem;  // why not: not found by the system's loader, a stub, or the loader's own words when it does not open
};

// Opens the first of these that the loader finds and passes over stubs. It stays loaded, and opening runs its constructors: only
// from a short-lived probe worker.
LibrarySearch search_libraries(std::span<const std::string_view> sonames);

}  // namespace fuselab::declared
