// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/source_commit.h"

#include "source_commit_text.h"

namespace fuselab::engine {

std::string_view source_commit() {
  return FUSELAB_SOURCE_COMMIT;
}

}  // namespace fuselab::engine
