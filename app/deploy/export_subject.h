// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/deploy/bundle/bundle_file.h"
#include "app/deploy/exported_pieces.h"
#include "app/engine/job/engine.h"

namespace fuselab::deploy {

enum class ExportFormat {
  kBundle,  // everything that runs it, for the loader: a folder where `file` is one or ends with '/', else a file
  kFolder,  // the same as a folder
  kHeader,  // the launch configurations alone, as a C header
};

struct ExportSpec {
  std::vector<std::string> subjects;
  std::vector<std::string> bindings;  // several: one subject at each of these extents, its weights packed once; empty: as it says
  std::string device = "cpu:0";
  std::string dtype = "f32", level = "O2";
  bool confirms = false;                               // measures what no fresh process confirmed in one, before it decides
  std::function<void(int pieces)> on_confirming = {};  // called before it does
  bool allow_unconfirmed = false;                      // takes figures that no fresh process confirmed, and marks them
  bool baselines = true;                               // adds a build of each kernel that every x86-64 processor runs
  bool require_complete = false;  // fails for a piece without a figure; else it goes out in its default configuration, marked
  bool invent_weights = false;    // packs random numbers for weights that a model's file declares and lacks; else fails for them
  double most_loss_percent = 10;  // that leaving libraries behind may cost the model
  std::uint64_t seed = 1;         // of weights that the model's file does not hold
  engine::Accepted accepted = {};
  std::string command = {};                   // as typed, for the run that confirms
  std::string commit = {};                    // that the exporting program was built from (source_commit()), for the manifest
  std::vector<std::string> gpu_targets = {};  // "sm_90a": adds kernels of Triton for these GPUs, which need not be here
  std::filesystem::path file;
  ExportFormat format = ExportFormat::kBundle;
};

struct ExportedBundle {
  BundleManifest manifest;
  Bytes size;
  std::vector<LibraryLoss> losses;               // per model
  int tuned = 0, unconfirmed = 0, defaults = 0;  // pieces
  std::vector<std::string> without_gpu_kernel;   // pieces that have none for a target, with the reason
  std::vector<std::string> of_nearest_size;      // untuned pieces whose configuration is that of a size near theirs, with that size
  std::vector<std::string> invented;             // weights of models' files that random numbers stand in for
};

// Writes one bundle, or the header of one, with everything that runs these subjects on a processor: per piece the best generated
// plan that is stored, its binary from the database or compiled anew, the plan of steps, weights, evidence. Nothing is measured or
// stored, except for what ExportSpec::confirms asks for. Fails with kUnavailable where a piece is not confirmed, is incomplete or
// costs too much, naming the option that allows it, and where no piece has a kernel for a GPU that was asked for; the file then
// stays as it was.
Result<ExportedBundle> export_subjects(engine::Engine& engine, const ExportSpec& spec, std::stop_token stop);

}  // namespace fuselab::deploy
