// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/wire/messages.h"
#include "core/base/result.h"

namespace fuselab::worker {

// Opens the bundle with the production loader, weights hashed, and times whole runs of each of its models. Inputs are zeros and
// small numbers of its own making; what comes out is not looked at. Used by one thread. Fails with kUntrusted, kCorrupt,
// kUnsupported or kLaunchFailed in the loader's words.
Result<wire::BundleReply> run_bundle(const wire::BundleRequest& request);

}  // namespace fuselab::worker
