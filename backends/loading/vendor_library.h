// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/loading/shared_library.h"
#include "core/base/result.h"

namespace fuselab::loading {

// A vendor's library as data: its names and the places where installers put it.
struct VendorLibrary {
  std::string_view name;                            // "NVRTC": shown to people, and $FUSELAB_LIB_NVRTC overrides the search
  std::span<const std::string_view> sonames;        // best first
  std::span<const std::string_view> folders;        // where installers put it: "/usr/local/cuda/lib64"
  std::span<const std::string_view> wheel_folders;  // inside a Python site-packages folder: "nvidia/cu13/lib"
  std::string_view stack = {};                      // what `fuselab backends install` calls it: "mkl"; empty: it does not have it
  bool installed_last = false;                      // the machine's own goes with its driver: the installed one where there is none
};

// The places that the search may look at; real_surroundings() returns those of this process.
struct Surroundings {
  std::string chosen;                               // $FUSELAB_LIB_<NAME>: only this file
  std::vector<std::filesystem::path> python_roots;  // folders that hold Python packages
  std::filesystem::path data = {};                  // this user's data folder, where `fuselab backends install` puts stacks
};
Surroundings real_surroundings(std::string_view library_name);

// Opens the library: the chosen file; else the one that `fuselab backends install` put here, whose bytes are held against the
// manifest first; else each soname through the system's loader, in the known folders, in the Python packages, in this order, or the
// installed one behind these where the library says so. Fails
// with kUnavailable and one line: "libnvrtc.so.13, libnvrtc.so.12 not found", or why the one that exists does not open. An
// installed one that was changed is such a reason: no other takes its place.
Result<OpenedLibrary> open_vendor_library(const VendorLibrary& library, const Surroundings& surroundings);

// Opens every version that exists, not only the first; a file with several names is opened once. The installed one comes last: once
// open, it would hide one of its soname from the system's loader. For libraries of which several versions are installed side by
// side. Empty when none opens or the installed one was changed: open_vendor_library() says why.
std::vector<OpenedLibrary> open_vendor_libraries(const VendorLibrary& library, const Surroundings& surroundings);

// The name of a function and the place to store its address.
struct Symbol {
  const char* name;
  void** slot;
};
// Fails with kUnavailable, naming the first function that is missing: "/…/libcuda.so.1 has no function cuInit: it is too old or not
// the library".
Status resolve(const OpenedLibrary& library, std::span<const Symbol> symbols);

}  // namespace fuselab::loading
