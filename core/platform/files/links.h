// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// Whether symbolic links below a folder are followed. They lead anywhere, so whoever follows them trusts who made them.
enum class Links { kRefused, kFollowed };

}  // namespace fuselab::platform
