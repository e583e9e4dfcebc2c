// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/mkl_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/mkl/mkl_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_mkl_backend() {
  return library::make_library_backend("mkl", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<mkl::MklLibrary> opened, mkl::MklLibrary::open(loading::real_surroundings("MKL")));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
