// SPDX-License-Identifier: Apache-2.0
// Every text that the CUDA generator writes for the built-in workloads is compiled by NVRTC for its target, where NVRTC is present.
// Without --full a sample that rotates with the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cubin_reader.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "core/workloads/workload.h"
#include "tests/conformance/model_pieces.h"
#include "tests/support/rotation.h"

namespace fuselab::cuda {
namespace {

constexpr std::size_t kConfigurations = 4;  // per workload, type and target: the default and others
constexpr std::size_t kOfLongRows = 2;
constexpr std::int64_t kLongRows[][2] = {{256, 50257}, {256, 65536}, {64, 262144}};  // rows and columns
constexpr std::size_t kSampled = 12;
constexpr unsigned kOnePieceIn = 24;

struct Case {
  std::string workload;
  Graph graph;
  const Target* target;
  std::size_t configuration;
};

// Targets that this NVRTC makes code for; which it does not know is said.
std::vector<const Target*> known_targets(const NvrtcLibrary& nvrtc) {
  std::vector<const Target*> known;
  for (const Target& target : cuda_targets()) {
    if (nvrtc.architectures().contains(std::stoi(target.id.substr(3)))) {
      known.push_back(&target);
    } else {
      std::cout << "nvrtc " << nvrtc.version() << " makes no code for " << target.id << ": left out\n";
    }
  }
  return known;
}

struct Cases {
  std::vector<Case> all;
  std::map<std::string, std::set<std::string>> without;  // reason → the workloads that nothing is generated for
};

// One graph for every target, with its default configuration and others; or why there is none.
void add_cases(const std::string& name, const Result<Graph>& graph, const std::vector<const Target*>& targets,
               std::size_t configurations, Cases& cases) {
  const CudaGenerator generator;
  if (!graph.ok()) cases.without[graph.error().message].insert(name);
  for (const Target* const target : targets) {
    if (!graph.ok()) continue;
    if (const Support support = generator.supports(graph.value(), *target); !support.yes) {
      cases.without[support.why_not].insert(name);
      continue;
    }
    for (std::size_t i = 0; i < configurations; ++i) cases.all.push_back({name, graph.value(), target, i});
  }
}

// Every workload at its own shape, those of rows and columns at long rows too.
Cases all_cases(const std::vector<const Target*>& targets) {
  Cases cases;
  for (const Workload& workload : builtin_workloads()) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      const std::string name = workload.id + " " + std::string(name_of(dtype));
      add_cases(name, instantiate(workload, {}, dtype), targets, kConfigurations, cases);
      if (!workload.default_shape.contains("rows") || !workload.default_shape.contains("cols")) continue;
      for (const auto& shape : kLongRows) {
        const auto wide = instantiate(workload, {{"rows", shape[0]}, {"cols", shape[1]}}, dtype);
        add_cases(name + " of " + std::to_string(shape[1]), wide, targets, kOfLongRows, cases);
      }
    }
  }
  return cases;
}

// What the compiler said of some texts.
struct Tally {
  std::size_t compiled = 0;
  std::size_t refused = 0;  // told before a launch that it would not launch
  std::size_t spilling = 0;
  std::int64_t spill_bytes = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;

  void meet(const KernelBinary& binary, std::int64_t shared) {
    const auto number = [&](const char* key) -> std::int64_t {
      const auto found = binary.metadata.find(key);
      return found == binary.metadata.end() ? 0 : std::stoll(found->second);
    };
    ++compiled;
    registers = std::max(registers, number("resource.registers"));
    const std::int64_t spills = number("resource.spill_bytes");
    spill_bytes = std::max(spill_bytes, spills);
    spilling += spills > 0 ? 1 : 0;
    shared_bytes = std::max(shared_bytes, shared);
  }
};

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  return out << tally.compiled << " compiled, " << tally.spilling << " of them spill (at most " << tally.spill_bytes << " bytes), "
             << tally.refused << " refused; at most " << tally.registers << " registers and " << tally.shared_bytes
             << " bytes of shared memory";
}

// The default configuration, and others of the space.
LaunchConfig config_of(const Case& each, const CodeGenerator& generator, SeededRandom& random) {
  if (each.configuration == 0) return generator.default_config(each.graph, *each.target);
  const auto configs = generator.space(each.graph, *each.target).enumerate(100000);
  return configs[random.below(configs.size())];
}

// Every kernel of the module takes what its record says: empty, or which does not.
std::string parameters_differ(const SourceModule& source, const KernelBinary& binary) {
  std::vector<std::string> entries = {source.entry};
  for (const FollowingLaunch& each : source.abi.after) entries.push_back(each.entry);
  const std::string unlisted = source.entry + "_fold";
  if (source.abi.after.empty()) entries.push_back(unlisted);
  for (const std::string& entry : entries) {
    const auto cubin = read_cubin(binary.data, entry);
    const bool may_be_missing = source.abi.after.empty() && entry == unlisted;
    if (!cubin.ok() && may_be_missing && cubin.error().code == ErrorCode::kNotFound) continue;
    if (!cubin.ok()) return cubin.error().message;
    if (cubin.value().parameters != static_cast<std::int64_t>(source.abi.arguments.size() + source.abi.maps.size())) {
      return entry + " takes " + std::to_string(cubin.value().parameters) + " parameters, its record says " +
             std::to_string(source.abi.arguments.size());
    }
  }
  return "";
}

// What is said of cases that no compiler was there for.
std::string left_out(const Availability& found, std::size_t cases) {
  return "SKIPPED: " + found.reason + "; " + std::to_string(cases) + " cases";
}

// More elements than 32 bits count: 60000 × 50257.
TEST(CudaTexts, CompileWithIndicesOf64Bits) {
  NvrtcCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << left_out(usable, 2);
  const Target& target = *std::find_if(cuda_targets().begin(), cuda_targets().end(), [](auto& each) { return each.id == "sm_90"; });
  const CudaGenerator generator;
  for (const char* const text : {"graph(x: bf16[60000,50257]) { y = Softmax(x); return y }",
                                 "graph(x: bf16[60000,50257], e: bf16[60000,50257]) { y = Add(x, e); return y }"}) {
    const Graph graph = parse_graph(text).value();
    const auto source = generator.generate(graph, generator.default_config(graph, target), target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    const std::string kernel = source.value().text.substr(source.value().text.find("End of the prelude"));
    EXPECT_NE(kernel.find("  const long long "), std::string::npos);
    EXPECT_EQ(kernel.find("  const int "), std::string::npos);
    const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO2, {});
    ASSERT_TRUE(binary.ok()) << binary.error().message;
    EXPECT_EQ(parameters_differ(source.value(), binary.value()), "");
  }
}

// At full extents, in the default configuration.
TEST(CudaTexts, CompileForEveryPieceOfTheBuiltinModels) {
  NvrtcCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) {
    constexpr std::size_t kPieces = 56;
    const std::size_t all = kPieces * cuda_targets().size();
    GTEST_SKIP() << left_out(usable, test::run_everything() ? all : all / kOnePieceIn);
  }
  const auto nvrtc = NvrtcLibrary::open({});
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.error().message;
  const auto targets = known_targets(*nvrtc.value());
  const CudaGenerator generator;
  Tally whole;
  unsigned position = 0;
  for (const auto& model : builtin_models()) {
    const auto graph = conformance::bound_model(model.id);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    for (const auto& [text, name] : conformance::pieces_of(graph.value())) {
      const Graph piece = parse_graph(text).value();
      for (const Target* const target : targets) {
        if (!test::run_everything() && (test::sample_seed() + position++) % kOnePieceIn != 0) continue;
        const std::string who = model.id + ", " + name + " for " + target->id;
        const auto source = generator.generate(piece, generator.default_config(piece, *target), *target);
        ASSERT_TRUE(source.ok()) << who << ": " << source.error().message;
        const auto binary = compiler.compile(source.value(), *target, OptimizationLevel::kO2, {});
        ASSERT_TRUE(binary.ok()) << who << ": " << (binary.ok() ? "" : binary.error().message);
        whole.meet(binary.value(), source.value().abi.shared_bytes.evaluate({}).value());
      }
    }
  }
  std::cout << whole << "\n";
}

TEST(CudaTexts, CompileForTheirTargets) {
  NvrtcCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) {
    std::vector<const Target*> targets;
    for (const Target& target : cuda_targets()) targets.push_back(&target);
    GTEST_SKIP() << left_out(usable, test::run_everything() ? all_cases(targets).all.size() : kSampled);
  }
  const auto nvrtc = NvrtcLibrary::open({});
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.error().message;
  auto [cases, without] = all_cases(known_targets(*nvrtc.value()));
  for (const auto& [reason, workloads] : without) {
    EXPECT_FALSE(reason.empty()) << *workloads.begin();
    std::cout << workloads.size() << " without a kernel (" << *workloads.begin() << (workloads.size() > 1 ? ", …" : "")
              << "): " << reason << "\n";
  }
  ASSERT_GT(cases.size(), kSampled);
  const std::size_t all = cases.size();
  SeededRandom random(test::sample_seed() + 1);
  if (!test::run_everything()) {
    for (std::size_t i = 0; i < kSampled; ++i) std::swap(cases[i], cases[i + random.below(cases.size() - i)]);
    cases.erase(cases.begin() + kSampled, cases.end());
  }
  const CudaGenerator generator;
  Tally whole;
  std::map<std::string, Tally> by_target;
  for (const Case& each : cases) {
    const LaunchConfig config = config_of(each, generator, random);
    const std::string who = each.workload + " for " + each.target->id + ", " + config.text();
    const auto source = generator.generate(each.graph, config, *each.target);
    ASSERT_TRUE(source.ok()) << who << ": " << source.error().message;
    const auto binary = compiler.compile(source.value(), *each.target, OptimizationLevel::kO2, {});
    Tally& own = by_target[each.target->id];
    if (!binary.ok() && binary.error().code == ErrorCode::kUnsupported) {
      std::cout << who << ": " << binary.error().message << "\n";
      ++own.refused;
      ++whole.refused;
      // What is known before it is compiled is a rule of the space; registers are known only then.
      EXPECT_NE(binary.error().message.find("registers"), std::string::npos) << who << ": " << binary.error().message;
      continue;
    }
    ASSERT_TRUE(binary.ok()) << who << ": " << (binary.ok() ? "" : binary.error().message);
    EXPECT_EQ(parameters_differ(source.value(), binary.value()), "") << who;
    const std::int64_t shared = source.value().abi.shared_bytes.evaluate({}).value();
    for (Tally* const tally : {&own, &whole}) tally->meet(binary.value(), shared);
  }
  for (const auto& [target, tally] : by_target) std::cout << target << ": " << tally << "\n";
  std::cout << cases.size() << " texts, " << all - cases.size() << " sampled out (seed " << test::sample_seed() << "): " << whole
            << "\n";
}

}  // namespace
}  // namespace fuselab::cuda
