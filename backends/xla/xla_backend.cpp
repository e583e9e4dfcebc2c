// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/xla/xla_library.h"

namespace fuselab {

std::unique_ptr<FusionBackend> make_xla_backend() {
  return library::make_library_backend("xla", [] { return xla::XlaLibrary::open(loading::real_surroundings("XLA")); });
}

}  // namespace fuselab
