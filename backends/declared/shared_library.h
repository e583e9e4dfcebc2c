// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fuselab::declared {

// What looking for a shared library gave.
struct LibrarySearch {
  std::string found;    // the soname that opened; empty when none did
  std::string problem;  // why not: "libcuda.so.1 not found", or the loader's own words when it is there but does not open
};

// Opens the first of these that the loader finds and closes it again. Opening runs the library's constructors: only from a
// short-lived probe worker.
LibrarySearch search_libraries(std::span<const std::string_view> sonames);

}  // namespace fuselab::declared
