// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/bundles/bundle_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/deploy/bundle/bundle_words.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/fields/json_writer.h"
#include "core/kernel/drawback.h"

namespace fuselab::cli {
namespace {

using deploy::BundleGpuKernel;
using deploy::BundleKernel;
using deploy::BundleManifest;
using deploy::BundleModel;
using deploy::BundlePiece;
using deploy::BundleTensor;
using deploy::configurations_of;
using deploy::tensors_text;
using nlohmann::json;

json tensors_json(const std::vector<BundleTensor>& tensors) {
  json all = json::array();
  for (const BundleTensor& tensor : tensors)
    all.push_back({{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"bytes", tensor.bytes}});
  return all;
}

}  // namespace

std::string bundle_pieces_text(const BundleManifest& manifest, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  Drawbacks marked;
  for (const BundlePiece& piece : manifest.pieces) {
    const Drawbacks drawbacks = drawbacks_of(configurations_of(manifest, piece));
    marked = marked | drawbacks;
    std::string time, next;
    if (piece.figure)
      time = format_duration({piece.figure->median_ns}) + " [" + format_duration({piece.figure->low_ns}) + ", " +
             format_duration({piece.figure->high_ns}) + "]" + (drawbacks.empty() ? "" : kDrawbackMark);
    if (piece.runner_up) {
      char ratio[32];
      std::snprintf(ratio, sizeof ratio, "%.2fx", piece.runner_up->ratio);
      next = plain_line(piece.runner_up->plan) + " " + ratio;
    }
    rows.push_back({plain_line(piece.name), plain_line(piece.plan), plain_line(piece.configured), std::move(time), std::move(next),
                    plain_line(configurations_of(manifest, piece))});
  }
  return render_table({{"piece"}, {"plan"}, {"configured"}, {"time"}, {"next best, its time"}, {"configuration"}}, rows, terminal) +
         drawback_note(marked);
}

std::string bundle_models_text(const BundleManifest& manifest) {
  std::string text;
  for (const BundleModel& model : manifest.models) {
    text += plain_line(model.name) + (model.binding.empty() ? "" : " (" + plain_line(model.binding) + ")") + ": " +
            counted(static_cast<std::int64_t>(model.steps.size()), "step") + ", " + format_bytes({model.arena_bytes}) +
            " of intermediates (" + format_bytes({model.unshared_bytes}) + " without reuse)\n";
    text += "  takes " + plain_line(tensors_text(model.inputs)) + "\n  gives " + plain_line(tensors_text(model.outputs)) + "\n";
    const std::int64_t from_seed = deploy::seeded_weights(model);
    if (from_seed > 0)
      text += "  " + counted(from_seed, "weight") + " of " + std::to_string(model.weights.size()) +
              " made from the seed: the model's file has no numbers for them\n";
  }
  return text;
}

std::string bundle_gpu_text(const BundleManifest& manifest, const Terminal& terminal) {
  if (manifest.gpu_kernels.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const BundleGpuKernel& kernel : manifest.gpu_kernels)
    rows.push_back({plain_line(kernel.piece), plain_line(kernel.target), plain_line(kernel.configured), deploy::launch_text(kernel),
                    plain_line(kernel.config)});
  return render_table({{"kernel for a GPU"}, {"target"}, {"configured"}, {"grid x block, shared memory"}, {"configuration"}}, rows,
                      terminal);
}

void add_bundle_facts(json& document, const BundleManifest& manifest) {
  document["weights"] = {{"bytes", manifest.weights.bytes}, {"sha256", manifest.weights.sha256}};
  document["environment"] = {{"device", manifest.environment.device},
                             {"processor", manifest.environment.processor},
                             {"target", manifest.environment.target},
                             {"cache_mode", manifest.environment.cache_mode}};
  document["commit"] = manifest.commit;
  document["measured"] = json::array();
  for (const deploy::BundleMeasuring& measuring : manifest.measured)
    document["measured"].push_back(fields::json_of<json>(measuring));
  document["pieces"] = json::array();
  for (const BundlePiece& piece : manifest.pieces) {
    json row = {{"name", piece.name},
                {"key", piece.key},
                {"plan", piece.plan},
                {"count", piece.count},
                {"configured", piece.configured},
                {"config", configurations_of(manifest, piece)}};
    add_drawbacks({drawbacks_of(configurations_of(manifest, piece)), {}}, row);
    if (piece.figure) {
      row["figure"] = {{"median_ns", piece.figure->median_ns},
                       {"low_ns", piece.figure->low_ns},
                       {"high_ns", piece.figure->high_ns},
                       {"confirmed", piece.figure->confirmed}};
      if (piece.figure->measured) row["figure"]["measured"] = *piece.figure->measured;
    }
    if (piece.runner_up)
      row["runner_up"] = {
          {"plan", piece.runner_up->plan}, {"median_ns", piece.runner_up->median_ns}, {"ratio", piece.runner_up->ratio}};
    document["pieces"].push_back(std::move(row));
  }
  document["gpu_kernels"] = json::array();
  for (const BundleGpuKernel& kernel : manifest.gpu_kernels) document["gpu_kernels"].push_back(fields::json_of<json>(kernel));
  document["models"] = json::array();
  for (const BundleModel& model : manifest.models)
    document["models"].push_back({{"name", model.name},
                                  {"binding", model.binding},
                                  {"steps", model.steps.size()},
                                  {"arena_bytes", model.arena_bytes},
                                  {"unshared_bytes", model.unshared_bytes},
                                  {"inputs", tensors_json(model.inputs)},
                                  {"outputs", tensors_json(model.outputs)}});
}

}  // namespace fuselab::cli
