// SPDX-License-Identifier: Apache-2.0
#include "core/base/version.h"

namespace fuselab {

std::string_view tool_version() {
  return FUSELAB_VERSION;
}

}  // namespace fuselab
