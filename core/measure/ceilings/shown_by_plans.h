// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Ceiling::form of a limit that no ceiling kernel reached, but plans of several backends did.
inline constexpr const char* kShownByPlans = "plans of several backends";

}  // namespace fuselab
