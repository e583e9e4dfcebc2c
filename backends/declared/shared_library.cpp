// SPDX-License-Identifier: Apache-2.0
#include "backends/declared/shared_library.h"

#include <dlfcn.h>
#include <link.h>

namespace fuselab::declared {
namespace {

std::string path_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr ? map->l_name : "";
}

// Toolkits ship drivers to link against, which answer every call with an error.
bool is_link_stub(const std::string& path) {
  return path.find("/stubs/") != std::string::npos;
}

}  // namespace

LibrarySearch search_libraries(std::span<const std::string_view> sonames) {
  std::string missing;
  std::string refused;
  for (auto const& soname : sonames) {
    std::string const name(soname);
    // Not made to be unloaded: vendor libraries leave threads and thread-local data behind.
    if (void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
      std::string const path = path_of(library);
      dlclose(library);
      if (!is_link_stub(path)) return {name, {}};
      refused = path + " is a stub to link against, not the library";
      continue;
    }
    // Only the loader's "<name>: cannot open shared object file" means absent; a missing dependency names another file.
    std::string const words = dlerror();
    bool const absent = words.find(name + ": cannot open shared object file: No such file") != std::string::npos;
    if (absent) {
      missing += (missing.empty() ? "" : ", ") + name;
    } else if (refused.empty()) {
      refused = words;
    }
  }
  return {{}, refused.empty() ? missing + " not found by the system's loader" : refused};
}

}  // namespace fuselab::declared
