// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/own/own_toml.h"

namespace fuselab::engine {

// Reads T1, the input format of Kernel Tuner and KTT (resources/docs/own-kernels.md says what of it is taken). `name` is the
// file's, for messages. A T1 file names no reference that can be computed here; one of its ReferenceArguments may name a file of
// ours, the text of a graph. Fails with kInvalidArgument, naming file and member, and with kUnsupported for what Fuselab has not.
Result<OwnText> read_own_t1(std::string_view json, const std::string& name, const Bindings& sizes);

}  // namespace fuselab::engine
