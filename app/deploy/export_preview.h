// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/deploy/export_subject.h"

namespace fuselab::deploy {

// How a piece goes out, or went.
struct OutgoingPiece {
  std::string name;
  int count = 1;           // uses in the model
  std::string plan;        // "fused", "unfused", "single"; empty: none
  std::string configured;  // kTuned, kUnconfirmed, kDefault; empty: it does not go out
  std::string config;      // configurations of its kernels, joined by ';'; empty: their defaults
  std::optional<BundleFigure> figure;
  std::optional<BundleRunnerUp> runner_up;
  std::string missing;  // what is missing of it, and why; empty: nothing
  std::string refused;  // why the options do not let it out; empty: they do
};

// What an export of one model would write.
struct ExportPreview {
  std::string model, binding;
  std::string device, target, processor;
  std::vector<OutgoingPiece> pieces;  // those that only give memory another shape are left out
  LibraryLoss loss;
  std::string refused;  // the first reason for which export_subjects() would refuse; empty: none is known
};

// Decides as export_subjects() does with the same spec, and makes, compiles and writes nothing. A model for each subject and its
// extents. Fails where a subject cannot be read or its device cannot be exported for.
Result<std::vector<ExportPreview>> preview_export(engine::Engine& engine, const ExportSpec& spec);

// Returns the pieces of a bundle as they went out.
std::vector<OutgoingPiece> pieces_of(const BundleManifest& manifest);

// See read_bundle(); trusts whom this user trusts.
Result<InspectedBundle> inspect_bundle(const engine::Config& config, const std::filesystem::path& file);

}  // namespace fuselab::deploy
