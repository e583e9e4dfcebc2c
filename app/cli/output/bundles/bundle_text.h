// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/shell/terminal.h"
#include "app/deploy/bundle/manifest.h"

namespace fuselab::cli {

// Returns a table of a bundle's pieces: how each is configured, its time, the next best plan.
std::string bundle_pieces_text(const deploy::BundleManifest& manifest, const Terminal& terminal);
// Returns lines about a bundle's models: their inputs, outputs, steps and memory.
std::string bundle_models_text(const deploy::BundleManifest& manifest);
// Returns a table of its kernels for GPUs; empty without any.
std::string bundle_gpu_text(const deploy::BundleManifest& manifest, const Terminal& terminal);

// Return what the documents of `export` and `inspect` say alike: members "pieces", "gpu_kernels" and "models", and the facts about
// weights and environment.
void add_bundle_facts(nlohmann::json& document, const deploy::BundleManifest& manifest);

}  // namespace fuselab::cli
