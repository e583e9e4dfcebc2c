// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "app/deploy/bundle/manifest.h"

namespace fuselab::deploy {

// Returns a C header with the launch configurations of a manifest, for programs that generate or launch their kernels themselves: a
// table of all kernels, fuselab_<name>_kernels, whose last row is empty, and a macro for each parameter,
// FUSELAB_<MODEL>_<PIECE>_<PARAMETER>. `name` tells headers of one program apart. The same manifest and name give the same text.
std::string header_text(const BundleManifest& manifest, const std::string& name);

// Writes it atomically, named after the file. Fails with kInvalidArgument where a file that is no such header would be overwritten,
// and with kIo.
Status write_header(const std::filesystem::path& file, const BundleManifest& manifest);

}  // namespace fuselab::deploy
