// SPDX-License-Identifier: Apache-2.0
#include "backends/nnpack/nnpack_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/nnpack/nnpack_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_nnpack_backend() {
  return library::make_library_backend("nnpack", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<nnpack::NnpackLibrary> opened, nnpack::NnpackLibrary::open(loading::real_surroundings("NNPACK")));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
