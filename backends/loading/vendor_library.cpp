// SPDX-License-Identifier: Apache-2.0
#include "backends/loading/vendor_library.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "core/base/words.h"
#include "core/platform/files/directories.h"
#include "core/platform/files/installed_stack.h"

namespace fuselab::loading {
namespace {

namespace fs = std::filesystem;

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// "<prefix>/lib/python3*/{site,dist}-packages", newest Python first.
void add_packages_below(const std::string& prefix, std::vector<fs::path>& roots) {
  if (prefix.empty()) return;
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(fs::path(prefix) / "lib", failure), end; !failure && entry != end; entry.increment(failure)) {
    if (entry->path().filename().string().compare(0, 7, "python3") != 0) continue;
    for (const char* const folder : {"site-packages", "dist-packages"}) {
      std::error_code ignored;
      if (fs::is_directory(entry->path() / folder, ignored)) found.push_back(entry->path() / folder);
    }
  }
  std::sort(found.rbegin(), found.rend());
  roots.insert(roots.end(), found.begin(), found.end());
}

void add_listed(const std::string& list, std::vector<fs::path>& roots) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) roots.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
}

// Every file that could be it, in order; sonames alone are left to the system's loader.
std::vector<std::string> candidates(const VendorLibrary& library, const Surroundings& surroundings) {
  std::vector<std::string> names(library.sonames.begin(), library.sonames.end());
  const auto add_below = [&](const fs::path& folder) {
    for (const auto soname : library.sonames) names.push_back((folder / soname).string());
  };
  for (const auto folder : library.folders) add_below(fs::path(folder));
  for (const fs::path& root : surroundings.python_roots) {
    for (const auto folder : library.wheel_folders) add_below(root / folder);
  }
  return names;
}

// Returns the prefix under which the first python3 of $PATH keeps its packages: an environment may be used without being activated.
// A link to it is not followed: an environment's own python3 is one to the system's.
std::string prefix_of_python(const std::string& path) {
  std::vector<fs::path> folders;
  add_listed(path, folders);
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (folder.is_absolute() && fs::exists(folder / "python3", ignored)) return folder.parent_path().string();
  }
  return {};
}

std::string override_of(const VendorLibrary& library) {
  return "FUSELAB_LIB_" + std::string(library.name);
}

Error unavailable(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

// Opens the library that `fuselab backends install` put here; nothing where there is none.
Result<std::optional<OpenedLibrary>> open_installed(const VendorLibrary& library, const Surroundings& surroundings) {
  const InstallableStack* const stack = find_installable_stack(library.stack);
  if (stack == nullptr || surroundings.data.empty()) return std::optional<OpenedLibrary>{};
  const auto file = platform::installed_library(surroundings.data, *stack);
  if (!file.ok()) return unavailable(file.error().message);
  if (!file.value()) return std::optional<OpenedLibrary>{};
  OpenedLibrary opened = open_library(file.value()->string());
  if (opened.handle == nullptr) return unavailable(opened.problem);
  return std::optional(std::move(opened));
}

}  // namespace

Surroundings real_surroundings(std::string_view library_name) {
  Surroundings here;
  here.chosen = variable("FUSELAB_LIB_" + std::string(library_name));
  add_listed(variable("PYTHONPATH"), here.python_roots);
  here.data = platform::base_directories().data;
  const std::string home = variable("HOME");
  for (const std::string& prefix : {variable("VIRTUAL_ENV"), variable("CONDA_PREFIX"), prefix_of_python(variable("PATH")),
                                    home.empty() ? home : home + "/.local", std::string("/usr/local"), std::string("/usr")}) {
    add_packages_below(prefix, here.python_roots);
  }
  return here;
}

Result<OpenedLibrary> open_vendor_library(const VendorLibrary& library, const Surroundings& surroundings) {
  if (!surroundings.chosen.empty()) {
    OpenedLibrary chosen = open_library(surroundings.chosen);
    if (chosen.handle != nullptr) return chosen;
    return unavailable(override_of(library) + ": " + chosen.problem);
  }
  if (!library.installed_last) {
    FL_TRY(auto installed, open_installed(library, surroundings));
    if (installed) return std::move(*installed);
  }
  std::string broken;
  for (const std::string& name : candidates(library, surroundings)) {
    OpenedLibrary found = open_library(name);
    if (found.handle != nullptr) return found;
    if (!found.absent && broken.empty()) broken = found.problem;
  }
  if (library.installed_last) {
    FL_TRY(auto installed, open_installed(library, surroundings));
    if (installed) return std::move(*installed);
  }
  if (!broken.empty()) return unavailable(broken);
  std::string names = joined(library.sonames);
  names += " not found";
  if (const InstallableStack* const stack = find_installable_stack(library.stack))
    names += ": `" + stack->install_command() + "` fetches it";
  return unavailable(names);
}

std::vector<OpenedLibrary> open_vendor_libraries(const VendorLibrary& library, const Surroundings& surroundings) {
  std::vector<OpenedLibrary> opened;
  const auto keep = [&](OpenedLibrary found) {
    const auto is_it = [&](const OpenedLibrary& each) { return each.handle == found.handle; };
    if (found.handle != nullptr && std::none_of(opened.begin(), opened.end(), is_it)) opened.push_back(std::move(found));
  };
  if (!surroundings.chosen.empty()) {
    keep(open_library(surroundings.chosen));
    return opened;
  }
  for (const std::string& name : candidates(library, surroundings)) keep(open_library(name));
  auto installed = open_installed(library, surroundings);
  if (!installed.ok()) return {};
  if (installed.value()) keep(std::move(*installed.value()));
  return opened;
}

Status resolve(const OpenedLibrary& library, std::span<const Symbol> symbols) {
  for (const Symbol& symbol : symbols) {
    *symbol.slot = library.symbol(symbol.name);
    if (*symbol.slot == nullptr) {
      return unavailable(library.path + " has no function " + symbol.name + ": it is too old or not the library");
    }
  }
  return {};
}

}  // namespace fuselab::loading
