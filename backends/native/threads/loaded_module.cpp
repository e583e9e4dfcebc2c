// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/loaded_module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "core/platform/system/os_error.h"

namespace fuselab::cpu {
namespace {

Status write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) return platform::last_os_error("load a kernel into memory");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return Status();
}

}  // namespace

Result<LoadedModule> LoadedModule::load(std::span<const std::byte> elf, const std::string& entry) {
  LoadedModule module;
  module.file_ = platform::UniqueFd(memfd_create("fuselab-kernel", MFD_CLOEXEC));
  if (!module.file_.valid()) return platform::last_os_error("make a file in memory for a kernel");
  FL_TRY_VOID(write_all(module.file_.get(), elf));
  // The file stays open as long as the code: the loader tells objects apart by device and inode.
  const std::string path = "/proc/self/fd/" + std::to_string(module.file_.get());
  module.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module.handle_ == nullptr) return Error{ErrorCode::kCorrupt, std::string("the kernel cannot be loaded: ") + dlerror()};
  module.function_ = module.find(entry);
  if (module.function_ == nullptr) return Error{ErrorCode::kCorrupt, "the kernel has no symbol '" + entry + "'"};
  return module;
}

KernelFunction LoadedModule::find(const std::string& entry) const {
  return reinterpret_cast<KernelFunction>(dlsym(handle_, entry.c_str()));
}

const std::int64_t* LoadedModule::wrong_index() const {
  return static_cast<const std::int64_t*>(dlsym(handle_, "fuselab_wrong_index"));
}

LoadedModule::LoadedModule(LoadedModule&& other) noexcept
    : file_(std::move(other.file_)),
      handle_(std::exchange(other.handle_, nullptr)),
      function_(std::exchange(other.function_, nullptr)) {}

LoadedModule::~LoadedModule() {
  if (handle_ != nullptr) dlclose(handle_);
}

}  // namespace fuselab::cpu
