// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/onednn/onednn_graphs.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_onednn_backend() {
  return library::make_library_backend("onednn", [] { return onednn::OneDnnGraphs::open(loading::real_surroundings("ONEDNN")); });
}

}  // namespace fuselab
