// SPDX-License-Identifier: Apache-2.0
// Writes one kernel of the cpu backend as files: its text, its binary and a description of how it is called. For measuring it
// beside other programs' kernels in one process (tests/benchmarks/peers), and for reading what the compiler made of it. Also writes
// a built-in model as the ONNX file that those other programs read.
//
//   kernel_files FOLDER GRAPH [CONFIGURATION|default] [TARGET]
//   kernel_files --model NAME FILE
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "backends/cpu/cpu_backend.h"
#include "backends/host/processor.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"

namespace fuselab {
namespace {

Result<Target> find_target(const DeviceInfo& device, const std::string& id) {
  if (id.empty() || id == device.target.id) return device.target;
  for (const Target& other : device.other_targets) {
    if (other.id == id) return other;
  }
  return Error{ErrorCode::kNotFound, "this processor does not run code for " + id};
}

nlohmann::json description(const CompiledKernel& kernel) {
  nlohmann::json json;
  json["entry"] = kernel.abi.entry;
  json["tasks"] = std::stoll(kernel.abi.grid_x.text);
  json["scratch_bytes"] = std::stoll(kernel.abi.shared_bytes.text);
  json["threads"] = kernel.config.integer("threads", 1);
  json["config"] = kernel.config.text();
  json["target"] = kernel.identity.target;
  json["resources"] = kernel.resources;
  json["compile_ms"] = static_cast<double>(kernel.metrics.compile_time.count) / 1e6;
  if (const Preparation& before = kernel.abi.preparation; !before.entry.empty()) {
    json["preparation"] = {{"entry", before.entry},
                           {"tasks", std::stoll(before.tasks.text)},
                           {"bytes", std::stoll(before.bytes.text)},
                           {"inputs", before.inputs}};
  }
  for (const KernelArgument& argument : kernel.abi.arguments) {
    nlohmann::json extents = nlohmann::json::array();
    for (const Dim& dim : argument.type.shape) extents.push_back(dim.extent());
    json["arguments"].push_back({{"name", argument.name},
                                 {"role", std::string(name_of(argument.role))},
                                 {"dtype", std::string(name_of(argument.type.dtype))},
                                 {"extents", extents}});
  }
  return json;
}

Result<std::string> write_kernel(std::span<char*> words) {
  const std::string folder = words[0];
  const std::string config_text = words.size() > 2 ? words[2] : "default";
  const auto backend = make_cpu_backend();
  FL_TRY(const std::vector<DeviceInfo> devices, backend->enumerate());
  FL_TRY(const Graph graph, parse_graph(words[1]));
  FL_TRY(const Target target, find_target(devices.front(), words.size() > 3 ? words[3] : ""));
  LaunchConfig config = backend->generator()->default_config(graph, target);
  if (config_text != "default") {
    FL_TRY(config, LaunchConfig::parse(config_text));
  }
  FL_TRY(const CompiledKernel kernel, compile_kernel(*backend, graph, config, target, OptimizationLevel::kO2, {}));
  const std::string bytes(reinterpret_cast<const char*>(kernel.binary.data.data()), kernel.binary.data.size());
  const std::string words_of_it = description(kernel).dump(1) + "\n";
  for (const auto& [name, text] : {std::pair<std::string, const std::string&>{"kernel.c", kernel.source.text},
                                   {"kernel.so", bytes},
                                   {"kernel.json", words_of_it}}) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    if (!(file << text).flush()) return Error{ErrorCode::kIo, "cannot write " + folder + "/" + name};
  }
  return words_of_it;
}

}  // namespace
}  // namespace fuselab

int main(int count, char** words) {
  if (count == 4 && std::string_view(words[1]) == "--model") {
    const fuselab::Status written = fuselab::write_builtin_model(words[2], words[3]);
    if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return written.ok() ? 0 : 1;
  }
  if (count < 3) {
    std::fputs("usage: kernel_files FOLDER GRAPH [CONFIGURATION|default] [TARGET]\n       kernel_files --model NAME FILE\n",
               stderr);
    return 2;
  }
  const auto written = fuselab::write_kernel(std::span(words + 1, static_cast<std::size_t>(count - 1)));
  std::fputs((written.ok() ? written.value() : written.error().message + "\n").c_str(), written.ok() ? stdout : stderr);
  return written.ok() ? 0 : 1;
}
