// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/same_code.h"

namespace fuselab::engine {

bool same_code(const CompiledKernel& left, const CompiledKernel& right) {
  return left.binary.data == right.binary.data && left.abi == right.abi && left.config == right.config &&
         left.identity.library == right.identity.library && left.identity.library_version == right.identity.library_version;
}

}  // namespace fuselab::engine
