// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "core/platform/files/atomic_file.h"
#include "core/platform/system/os_error.h"
#include "core/platform/system/unique_fd.h"
#include "core/platform/system/uuid.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  return failure ? Status(creation_error("create '" + folder.string() + "'", failure.value())) : Status();
}

// A name in a folder is durable only when the folder is.
void sync_names(const fs::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

// Each file is synced, and then the folders that name them.
Status fill(const fs::path& fresh, const FolderFiles& files) {
  FL_TRY_VOID(make_folder(fresh));
  std::set<fs::path> folders{fresh};
  for (const auto& [name, bytes] : files) {
    FL_TRY_VOID(write_file_atomically(fresh / name, bytes));
    folders.insert((fresh / name).parent_path());
  }
  for (const fs::path& folder : folders) sync_names(folder);
  return {};
}

// Afterwards `fresh` names what `path` named, or nothing.
Status put_in_place(const fs::path& fresh, const fs::path& path) {
  if (::rename(fresh.c_str(), path.c_str()) == 0) return {};  // nothing was there, or an empty folder
  if (errno != ENOTEMPTY && errno != EEXIST) return last_os_error("rename to '" + path.string() + "'");
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return {};
  const fs::path old = fresh.string() + ".old";
  if (::rename(path.c_str(), old.c_str()) != 0) return last_os_error("rename '" + path.string() + "'");
  if (::rename(fresh.c_str(), path.c_str()) == 0) {
    ::rename(old.c_str(), fresh.c_str());
    return {};
  }
  const Error failed = last_os_error("rename to '" + path.string() + "'");
  ::rename(old.c_str(), path.c_str());
  return failed;
}

}  // namespace

Status write_folder_atomically(const fs::path& path, const FolderFiles& files) {
  const fs::path place = path.has_filename() ? path : path.parent_path();
  const fs::path beside = place.has_parent_path() ? place.parent_path() : ".";
  FL_TRY_VOID(make_folder(beside));
  const fs::path fresh = beside / ("." + place.filename().string() + "." + make_uuid());
  Status written = fill(fresh, files);
  if (written.ok()) written = put_in_place(fresh, place);
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  if (written.ok()) sync_names(beside);
  return written;
}

}  // namespace fuselab::platform
