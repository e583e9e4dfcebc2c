// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/inductor_backend.h"

#include "backends/inductor/inductor_library.h"
#include "backends/library/host/library_backend.h"
#include "core/platform/files/directories.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_inductor_backend() {
  return library::make_library_backend("inductor", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<inductor::InductorLibrary> opened,
           inductor::InductorLibrary::open([] { return python::find_python("inductor"); },
                                           platform::base_directories().cache / "fuselab" / "inductor"));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
