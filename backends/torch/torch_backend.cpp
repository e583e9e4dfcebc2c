// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/torch_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/torch/torch_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_torch_backend() {
  return library::make_library_backend("torch", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<torch::TorchLibrary> opened, torch::TorchLibrary::open(loading::real_surroundings("TORCH")));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
