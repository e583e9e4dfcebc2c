// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/source_commit.h"

#include "source_commit_text.h"

namespace fuselab::session {

std::string_view source_commit() {
  return FUSELAB_SOURCE_COMMIT;
}

}  // namespace fuselab::session
