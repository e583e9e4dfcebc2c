// SPDX-License-Identifier: Apache-2.0
#include "backends/onnxruntime/onnxruntime_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/onnxruntime/ort_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_onnxruntime_backend() {
  return library::make_library_backend("onnxruntime", []() -> Result<std::shared_ptr<library::HostLibrary>> {
    FL_TRY(std::shared_ptr<onnxruntime::OrtLibrary> opened,
           onnxruntime::OrtLibrary::open(loading::real_surroundings("ONNXRUNTIME")));
    return std::shared_ptr<library::HostLibrary>(std::move(opened));
  });
}

}  // namespace fuselab
