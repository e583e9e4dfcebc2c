// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/compiler/device_library.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace fuselab::hip {
namespace {

constexpr const char* kVariable = "FUSELAB_ROCM_DEVICE_LIBRARY";
constexpr const char* kFolders[] = {"/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                                    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode"};
constexpr std::string_view kVersion = "oclc_isa_version_";

// The digits of an architecture: two for its stepping and minor version, the rest for the major one. "90a" of gfx90a is 0x90a.
std::optional<unsigned long> version_number(const std::string& digits) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(digits.c_str(), &end, 16);
  return digits.empty() || *end != '\0' ? std::nullopt : std::optional(number);
}

// Returns the newest file of this architecture's line that is no newer than it.
std::filesystem::path words_of_version(const std::filesystem::path& folder, const std::string& target) {
  const auto wanted = version_number(target.substr(std::min<std::size_t>(3, target.size())));
  std::filesystem::path best;
  unsigned long newest = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().stem().string();
    if (!name.starts_with(kVersion)) continue;
    const auto number = version_number(name.substr(kVersion.size()));
    if (!number || !wanted || *number > *wanted || *number < newest) continue;
    newest = *number;
    best = entry.path();
  }
  return best;
}

}  // namespace

Result<std::filesystem::path> find_device_library() {
  std::vector<std::filesystem::path> folders;
  if (const char* const named = std::getenv(kVariable); named != nullptr && *named != '\0') {
    folders.emplace_back(named);
  } else {
    folders.assign(std::begin(kFolders), std::end(kFolders));
  }
  std::error_code ignored;
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::exists(folder / "ocml.bc", ignored)) return folder;
  }
  return Error{
      ErrorCode::kUnavailable,
      "AMD's device library (ocml.bc) was not found; install it: apt-get install rocm-device-libs, or name its folder in " +
          std::string(kVariable)};
}

std::vector<std::string> device_library_arguments(const std::filesystem::path& folder, const Target& target) {
  const auto lanes = target.limits.find("warp");
  const bool wide = lanes != target.limits.end() && lanes->second == 64;
  std::vector<std::filesystem::path> files;
  for (const char* const name :
       {"ocml", "oclc_finite_only_off", "oclc_unsafe_math_off", "oclc_daz_opt_off", "oclc_correctly_rounded_sqrt_on",
        wide ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off", "oclc_abi_version_500"})
    files.push_back(folder / (std::string(name) + ".bc"));
  files.push_back(words_of_version(folder, target.id));
  std::vector<std::string> arguments;
  std::error_code ignored;
  for (const std::filesystem::path& file : files) {
    if (!std::filesystem::exists(file, ignored)) continue;
    arguments.insert(arguments.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file.string()});
  }
  return arguments;
}

}  // namespace fuselab::hip
