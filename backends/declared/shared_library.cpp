// SPDX-License-Identifier: Apache-2.0
#include "backends/declared/shared_library.h"

#include <dlfcn.h>

namespace fuselab::declared {

LibrarySearch search_libraries(std::span<const std::string_view> sonames) {
  std::string missing;
  std::string refused;
  for (auto const& soname : sonames) {
    std::string const name(soname);
    if (void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(library);
      return {name, {}};
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
  return {{}, refused.empty() ? missing + " not found" : refused};
}

}  // namespace fuselab::declared
