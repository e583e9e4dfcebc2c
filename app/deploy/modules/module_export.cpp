// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/modules/module_export.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>
#include <span>

#include "app/deploy/modules/chosen_config.h"
#include "app/deploy/modules/python_module.h"
#include "app/engine/kernels/workshop.h"
#include "app/engine/subject/piece.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::deploy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackend = "triton";

// The name of a module: one that Python can import.
std::string module_name(const std::string& piece, const std::string& key) {
  std::string name;
  for (const char c : piece) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "k_" + name;
  return name.substr(0, 60) + "_" + key.substr(0, 8);
}

Result<std::string> target_of(engine::Engine& engine, const ModuleSpec& spec) {
  if (!spec.target.empty()) return spec.target;
  FL_TRY(const auto backends, engine.devices(false));
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      if (device.id == spec.device) return device.target.id;
    }
  }
  return Error{ErrorCode::kUnavailable,
               "there is no device '" + spec.device + "' here: --target names what to write for, e.g. sm_90a"};
}

std::string configured_text(const ChosenConfig& chosen, const std::string& device) {
  if (!chosen.median_ns) return "the default, never measured on " + device;
  char text[64];
  std::snprintf(text, sizeof text, "%.3g us", *chosen.median_ns / 1e3);
  return "the fastest that was measured on " + device + ", " + text;
}

Status write_text(const fs::path& file, const std::string& text) {
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

Result<ExportedModule> export_piece(engine::Engine& engine, engine::Workshop& workshop, const ModuleSpec& spec,
                                    const engine::FusedModel& model, const engine::Piece& piece, const fs::path& module,
                                    const std::stop_token& stop) {
  ExportedModule done;
  done.piece = piece.operation.name;
  done.model = model.subject.name;
  done.binding = model.subject.binding;
  done.uses = piece.operation.count;
  const Graph& graph = piece.operation.graph;
  done.why_not = piece.not_measured;
  if (!done.why_not.empty()) return done;
  FL_TRY(const wire::DescribeReply described, workshop.describe(graph, stop));
  done.why_not = described.support.why_not;
  if (!described.support.yes) return done;
  FL_TRY(const ChosenConfig chosen, chosen_config(engine.queries(), spec.device, piece.key, described));
  done.config = chosen.config;
  done.median_ns = chosen.median_ns;
  FL_TRY(const CompiledKernel written, workshop.write(graph, chosen.config, stop));
  const ModuleFacts facts{done.piece, done.model, done.binding, workshop.target().id, configured_text(chosen, spec.device)};
  FL_TRY(const std::string text, python_module(written, graph, facts));
  FL_TRY_VOID(write_text(module, text));
  done.module = module;
  const auto compiled = workshop.compile(graph, chosen.config, stop);
  if (!compiled.ok()) {
    if (compiled.error().code == ErrorCode::kCancelled) return compiled.error();
    done.why_not = compiled.error().message;
    return done;
  }
  const KernelBinary& binary = compiled.value().binary;
  FL_TRY(const std::string data, launch_data(compiled.value(), facts));
  done.binary = fs::path(module).replace_extension(binary.format);
  FL_TRY_VOID(platform::write_file_atomically(done.binary, binary.data));
  FL_TRY_VOID(write_text(fs::path(module).replace_extension("json"), data));
  return done;
}

bool is_folder(const fs::path& file) {
  std::error_code ignored;
  return !file.has_filename() || fs::is_directory(file, ignored);
}

}  // namespace

Result<ExportedModules> export_modules(engine::Engine& engine, const ModuleSpec& spec, const std::stop_token& stop) {
  FL_TRY(const DType dtype, engine::parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  ExportedModules done;
  FL_TRY(done.target, target_of(engine, spec));
  FL_TRY(VirtualTarget target, virtual_target(done.target));
  target.backend = kBackend;
  std::vector<engine::FusedModel> models;
  for (const std::string& subject : spec.subjects) {
    FL_TRY(auto cut_here, engine::cut_subject(engine.config(), subject, spec.binding, dtype, level));
    for (engine::FusedModel& model : cut_here) models.push_back(std::move(model));
  }
  std::set<std::string> seen;
  std::vector<std::pair<const engine::FusedModel*, const engine::Piece*>> distinct;
  for (const engine::FusedModel& model : models) {
    for (const engine::Piece& piece : model.pieces) {
      const bool runs_nothing = !piece.not_measured.empty() && piece.operation.pattern != FusionPatternType::kOpaque;
      if (!runs_nothing && seen.insert(piece.key).second) distinct.emplace_back(&model, &piece);
    }
  }
  const bool to_folder = is_folder(spec.file);
  if (!to_folder && distinct.size() != 1)
    return invalid_argument(std::to_string(distinct.size()) + " pieces need a folder: --to " + spec.file.string() + "/");
  engine::WorkerPool pool(engine::compile_pool_options(engine.config()));
  engine::Workshop workshop(pool, target, level);
  for (const auto& [model, piece] : distinct) {
    const fs::path module = to_folder ? spec.file / (module_name(piece->operation.name, piece->key) + ".py") : spec.file;
    FL_TRY(ExportedModule each, export_piece(engine, workshop, spec, *model, *piece, module, stop));
    done.pieces.push_back(std::move(each));
  }
  const bool has_any = std::ranges::any_of(done.pieces, [](const ExportedModule& each) { return !each.module.empty(); });
  if (!has_any)
    return Error{ErrorCode::kUnavailable,
                 "nothing was written for " + done.target + (done.pieces.empty() ? "" : ": " + done.pieces.front().why_not)};
  return done;
}

}  // namespace fuselab::deploy
