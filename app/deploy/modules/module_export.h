// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/kernel/launch_config.h"

namespace fuselab::deploy {

struct ModuleSpec {
  std::vector<std::string> subjects;
  std::string binding, dtype = "f32", level = "O2";
  std::string target;               // "sm_90a"; empty: the device's own
  std::string device = "triton:0";  // whose stored figures choose the configurations
  std::filesystem::path file = {};  // of one piece; a folder for several, or where it ends with '/'
};

// One distinct piece.
struct ExportedModule {
  std::string piece, model, binding;
  int uses = 1;
  LaunchConfig config;
  std::optional<double> median_ns;  // of the stored figure that chose it; nothing: the default configuration
  std::filesystem::path module;     // empty: it was not written
  std::filesystem::path binary;     // beside it, with its launch data as .json; empty: it was not compiled
  std::string why_not;              // it was not written, or not compiled
};

struct ExportedModules {
  std::string target;
  std::vector<ExportedModule> pieces;  // those that run nothing are left out
};

// Writes a module of Python for each distinct piece of the subjects, with the configuration of its fastest stored figure on the
// device, else the default; and beside it the binary with its launch data, where it compiles here. Measures and stores nothing.
// Fails with kUnavailable where no piece can be written, with kInvalidArgument for a file and several pieces, and with kIo.
Result<ExportedModules> export_modules(engine::Engine& engine, const ModuleSpec& spec, const std::stop_token& stop);

}  // namespace fuselab::deploy
