// SPDX-License-Identifier: Apache-2.0
#include "backends/loading/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <iterator>

#include "backends/loading/library_build.h"

namespace fuselab::loading {
namespace {

std::string path_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr ? map->l_name : "";
}

// Toolkits ship drivers to link against, which answer every call with an error.
bool is_link_stub(const std::string& path) {
  return path.find("/stubs/") != std::string::npos;
}

std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Returns the path of a library of the same file name that is in the process already; empty where there is none.
std::string loaded_namesake_of(const std::string& path) {
  struct Search {
    std::string name, found;
  } search{file_name_of(path), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_name != nullptr && file_name_of(info->dlpi_name) == wanted.name) wanted.found = info->dlpi_name;
        return wanted.found.empty() ? 0 : 1;
      },
      &search);
  return search.found;
}

// Libraries that end a process into which two of them are loaded, copies of one file among them.
constexpr std::string_view kOncePerProcess[] = {"libtorch_cpu.so"};

OpenedLibrary refused(std::string problem, bool absent = false) {
  std::replace(problem.begin(), problem.end(), '\n', ' ');
  return {nullptr, {}, absent, std::move(problem)};
}

}  // namespace

void* OpenedLibrary::symbol(const char* name) const {
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

OpenedLibrary open_library(const std::string& asked) {
  std::string name = asked;
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path && std::ranges::find(kOncePerProcess, file_name_of(name)) != std::end(kOncePerProcess)) {
    const std::string loaded = loaded_namesake_of(name), build = build_of(name);
    if (!loaded.empty() && !build.empty() && build_of(loaded) != build)
      return refused(name + " is another build than " + loaded + ", which this process has opened: it cannot open both");
    if (!loaded.empty() && !build.empty()) name = loaded;
  }
  // A path tells before anything of it runs: an opened stub driver would poison the process.
  if (is_link_stub(name)) return refused(name + " is a stub to link against, not the library");
  if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    const std::string path = path_of(library);
    if (!is_link_stub(path)) return {library, path, false, {}};
    dlclose(library);
    return refused(path + " is a stub to link against, not the library");
  }
  // Only the loader's "<name>: cannot open shared object file" means absent; a missing dependency names another file.
  const std::string words = dlerror();
  const bool absent = words.find(name + ": cannot open shared object file: No such file") != std::string::npos;
  return absent ? refused(name + " not found", true) : refused(words);
}

LibrarySearch search_libraries(std::span<const std::string_view> sonames) {
  std::string missing;
  std::string broken;
  for (const auto& soname : sonames) {
    const std::string name(soname);
    const OpenedLibrary library = open_library(name);
    if (library.handle != nullptr) return {name, {}};
    if (library.absent) {
      missing += (missing.empty() ? "" : ", ") + name;
    } else {
      broken = library.problem;
    }
  }
  return {{}, broken.empty() ? missing + " not found by the system's loader" : broken};
}

}  // namespace fuselab::loading
