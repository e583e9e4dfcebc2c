// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/bundle_folder.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/platform/files/file_inside.h"

namespace fuselab::deploy {
namespace {

namespace fs = std::filesystem;

bool is_hash(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool belongs(std::string_view name) {
  if (name == "manifest.json" || name == "signature" || name == "weights.bin") return true;
  if (name.starts_with("kernels/") && name.ends_with(".so")) return is_hash(name.substr(8, name.size() - 8 - 3));
  return name.starts_with("sources/") && name.ends_with(".c") && is_hash(name.substr(8, name.size() - 8 - 2));
}

// Returns the names of all that lies below the folder, its own folders left out; what is reached through a link is not looked into.
Result<std::vector<std::string>> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::recursive_directory_iterator each(folder, failure);
  for (; !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    const std::string name = each->path().lexically_relative(folder).string();
    std::error_code unknown;
    const bool is_folder = each->symlink_status(unknown).type() == fs::file_type::directory;
    if (is_folder && (name == "kernels" || name == "sources")) continue;
    names.push_back(name);
    if (is_folder) each.disable_recursion_pending();
  }
  if (failure) return Error{ErrorCode::kIo, "its folder cannot be read: " + failure.message()};
  return names;
}

Error corrupt(const std::string& name, const std::string& why) {
  return {ErrorCode::kCorrupt, "'" + name + "' " + why};
}

}  // namespace

Result<BundleFolder> read_bundle_folder(const fs::path& folder, Bytes at_most) {
  FL_TRY(const auto names, names_in(folder));
  BundleFolder files;
  std::int64_t left = at_most.count;
  for (const std::string& name : names) {
    if (!belongs(name)) return corrupt(name, "does not belong into a bundle");
    const auto file = platform::FileInside::open(folder, name);
    if (!file.ok() && file.error().code != ErrorCode::kIo) return corrupt(name, file.error().message);
    if (!file.ok()) return file.error().within(name);
    if (file.value().size() > left)
      return Error{ErrorCode::kUnsupported, "it has more than the " + format_bytes(at_most) + " that are read"};
    left -= file.value().size();
    std::vector<std::byte>& bytes = files[name];
    bytes.resize(static_cast<std::size_t>(file.value().size()));
    const Status read = file.value().read_into(0, bytes);
    if (!read.ok()) return read.error().within(name);
  }
  return files;
}

Status check_own_folder(const fs::path& folder) {
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(place, ignored).type();
  if (type == fs::file_type::not_found) return {};
  const Error foreign = invalid_argument(place.string() + " is there and is no folder of a bundle; it is left alone");
  if (type != fs::file_type::directory) return foreign;
  FL_TRY(const auto names, names_in(place));
  const bool is_bundle = std::find(names.begin(), names.end(), "manifest.json") != names.end();
  return names.empty() || (is_bundle && std::all_of(names.begin(), names.end(), belongs)) ? Status() : foreign;
}

}  // namespace fuselab::deploy
