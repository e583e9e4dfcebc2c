// SPDX-License-Identifier: Apache-2.0
#include "backends/declared/declared_systems.h"

#include <algorithm>
#include <fstream>

#include "backends/loading/shared_library.h"
#include "core/base/assert.h"

namespace fuselab::declared {
namespace {

constexpr std::string_view kNotDriven = " found, but this version of Fuselab does not drive it yet";

std::string look_for_metal() {
#ifdef __APPLE__
  return "Metal" + std::string(kNotDriven);
#else
  return "Metal exists only on macOS";
#endif
}

std::string look_for_tpu() {
  static constexpr std::string_view kLibraries[] = {"libtpu.so"};
  const auto search = loading::search_libraries(kLibraries);
  return (search.found.empty() ? search.problem : search.found + std::string(kNotDriven)) +
         "; xla compiles for a TPU without one: `fuselab survey --compile-only --target tpu-v6e`";
}

std::string look_for_amx() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (line.compare(0, 5, "flags") == 0 && line.find(" amx_tile") != std::string::npos) return "AMX" + std::string(kNotDriven);
  }
  return "this CPU has no AMX unit";
}

std::string look_for_opt_einsum() {
  return "it drives no device: the order in which an Einsum is multiplied is chosen when a model is imported (core/contraction)";
}

std::string look_for_attention_library() {
  static constexpr std::string_view kLibraries[] = {"libtorch_cuda.so"};
  const auto search = loading::search_libraries(kLibraries);
  return search.found.empty() ? search.problem : search.found + std::string(kNotDriven);
}

using P = FusionPatternType;

FusionClaim triton_claim() {
  return {"TritonFusion",
          10,
          0,
          {P::kElementWise, P::kConvActivation, P::kConvBatchNorm, P::kLinearActivation, P::kReductionThenElementWise},
          {DType::kF32, DType::kF16, DType::kBF16, DType::kI32, DType::kI64},
          true,
          true,
          true,
          true,
          "triton_",
          128,
          128,
          {"--fast", "--vectorize"}};
}

FusionClaim xla_claim() {
  return {"XLAFusion",
          5,
          20,
          {P::kElementWise, P::kConvActivation, P::kConvBatchNorm, P::kLinearActivation, P::kReductionThenElementWise, P::kMixed},
          {DType::kF32, DType::kF16, DType::kBF16},
          true,
          true,
          true,
          true,
          "xla_",
          256,
          256,
          {}};
}

std::vector<DeclaredSystem> make_systems() {
  return {{"metal", look_for_metal, {}},
          {"triton", nullptr, triton_claim()},
          {"xla", nullptr, xla_claim()},
          {"tpu", look_for_tpu, {}},
          {"xeon", look_for_amx, {}},
          {"mha", look_for_attention_library, {}},
          {"opt_einsum", look_for_opt_einsum, {}}};
}

}  // namespace

std::span<const DeclaredSystem> declared_systems() {
  static const std::vector<DeclaredSystem> kSystems = make_systems();
  return kSystems;
}

const DeclaredSystem* find_declared_system(std::string_view id) {
  const auto systems = declared_systems();
  const auto found = std::find_if(systems.begin(), systems.end(), [&](const DeclaredSystem& system) { return system.id == id; });
  return found == systems.end() ? nullptr : &*found;
}

std::string reason_why_unusable(const BackendInfo& info) {
  const auto* system = find_declared_system(info.id);
  if (system != nullptr && system->look != nullptr) return system->look();
  FL_ASSERT(!info.required_libraries.empty());
  const auto search = loading::search_libraries(info.required_libraries);
  return search.found.empty() ? search.problem : search.found + std::string(kNotDriven);
}

}  // namespace fuselab::declared
