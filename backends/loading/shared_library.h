// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fuselab::loading {

// One attempt to open a shared library by soname or path. An opened library stays in the process: vendor libraries leave threads
// and thread-local data behind, and are not made to be unloaded.
struct OpenedLibrary {
  void* handle = nullptr;  // null when the library did not open
  std::string path;        // the file that the loader found
  bool absent = false;     // there is no such file, as opposed to a file that does not open
  std::string problem;     // the reason for a failure, in one line

  void* symbol(const char* name) const;  // null when the library has no symbol of that name
};

// Opens a library. Symbols are resolved at once and stay private. Stubs to link against are refused. Of PyTorch a process opens one
// build; a copy of the file elsewhere is that one, too. Opening runs constructors,
// which may crash or hang: call it only in a worker process.
OpenedLibrary open_library(const std::string& name);

// The result of searching for a shared library.
struct LibrarySearch {
  std::string found;  // the soname that opened; empty when none did
  // The reason for a failure: not found by the system's loader, a stub, or the loader's own words when it does not open.
  std::string problem;
};

// Opens the first of these that the system's loader finds.
LibrarySearch search_libraries(std::span<const std::string_view> sonames);

}  // namespace fuselab::loading
