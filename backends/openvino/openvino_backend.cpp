// SPDX-License-Identifier: Apache-2.0
#include "backends/openvino/openvino_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/openvino/ov_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_openvino_backend() {
  return library::make_library_backend("openvino", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<openvino::OvLibrary> opened, openvino::OvLibrary::open(loading::real_surroundings("OPENVINO")));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
