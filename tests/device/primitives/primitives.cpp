// SPDX-License-Identifier: Apache-2.0
// fuselab-primitives make FOLDER TEXTS [hip]     writes the cases of CUDA, or of AMD's GPUs, with the SIMT executor's results
// fuselab-primitives compile FOLDER              compiles them for every target that the compiler knows and a case is for; runs
// nothing fuselab-primitives check FOLDER DEVICE CASE…   runs them on a device; one line each: case, state, reason, by tabs, and
// behind a
//                                                wrong map of lanes a line "map", the case and a lane, for each
// fuselab-primitives sweep DEVICE MIB SECONDS    reads so many MiB with more and more bytes under way: form, blocks, threads and
//                                                loads or stages, bytes under way on a multiprocessor, bytes per second
// Exit 0: all are as they should be, 1: some are not, 2: wrong words, 77: what is needed is not there.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "backends/rocm/compiler/hip_compiler.h"
#include "backends/rocm/driver/hip_device.h"
#include "backends/rocm/rocm_backend.h"
#include "core/kernel/cuda_features.h"
#include "tests/device/primitives/device_check.h"
#include "tests/device/primitives/in_flight.h"
#include "tests/device/primitives/primitive_cases.h"

namespace {

using namespace fuselab;
using namespace fuselab::primitives;

constexpr int kNotThere = 77;

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

int fail(const Error& error, int code = 1) {
  std::fprintf(stderr, "fuselab-primitives: %s\n", in_one_line(error.message).c_str());
  return code;
}

int make(const std::string& folder, const std::string& texts, bool for_amd) {
  auto cases = for_amd ? amd_cases(texts) : primitive_cases(texts);
  if (!cases.ok()) return fail(cases.error());
  std::vector<std::string> names;
  for (PrimitiveCase& each : cases.value()) {
    if (const Status executed = expect_as_executed(each); !executed.ok()) return fail(executed.error());
    if (const Status saved = save(each, folder); !saved.ok()) return fail(saved.error());
    names.push_back(each.name);
  }
  if (const Status saved = save_order(names, folder); !saved.ok()) return fail(saved.error());
  std::printf("%zu cases in %s\n", names.size(), folder.c_str());
  return 0;
}

bool is_for(const PrimitiveCase& one, const Target& target) {
  const CudaFeatures features = cuda_features(target);
  return features.capability >= one.capability && (!one.group_products || features.group_products);
}

// The targets of a case that are tried.
std::vector<Target> targets_of(const PrimitiveCase& one) {
  std::vector<Target> found;
  for (const std::string& id : one.targets) found.push_back(hip::named_target(id));
  if (!found.empty()) return found;
  for (const char* id : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"}) {
    const auto& targets = cuda::cuda_targets();
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& each) { return each.id == id; });
    if (target != targets.end() && is_for(one, *target)) found.push_back(*target);
  }
  return found;
}

int compile(const std::string& folder) {
  cuda::NvrtcCompiler nvrtc;
  hip::HipCompiler clang;
  const auto names = load_order(folder);
  if (!names.ok()) return fail(names.error());
  int compiled = 0, failed = 0;
  for (const std::string& name : names.value()) {
    const auto one = load(folder, name);
    if (!one.ok()) return fail(one.error());
    Compiler& compiler = one.value().targets.empty() ? static_cast<Compiler&>(nvrtc) : clang;
    if (const Availability usable = compiler.probe(); !usable.usable) {
      std::printf("SKIPPED: %s\n", usable.reason.c_str());
      return kNotThere;
    }
    for (const Target& target : targets_of(one.value())) {
      const auto binary = compiler.compile(one.value().source, target, OptimizationLevel::kO2, {});
      ++(binary.ok() ? compiled : failed);
      if (!binary.ok())
        std::printf("%s for %s: %s\n", name.c_str(), target.id.c_str(), in_one_line(binary.error().message).c_str());
    }
  }
  std::printf("%d compiled, %d not\n", compiled, failed);
  return failed == 0 ? 0 : 1;
}

void print(const std::string& name, const Verdict& verdict) {
  std::printf("%s\t%s\t%s\n", name.c_str(), verdict.state.c_str(), in_one_line(verdict.text).c_str());
  std::istringstream lanes(verdict.lane_map);
  for (std::string line; std::getline(lanes, line);) std::printf("map\t%s\t%s\n", name.c_str(), line.c_str());
  std::fflush(stdout);
}

Result<std::unique_ptr<DeviceRuntime>> open(FusionBackend& backend, const std::string& device) {
  FL_TRY(const std::vector<DeviceInfo> devices, backend.enumerate());
  const auto found = std::find_if(devices.begin(), devices.end(), [&](auto& each) { return each.id == device; });
  if (found == devices.end()) return Error{ErrorCode::kNotFound, "there is no device '" + device + "'"};
  return backend.open(*found);
}

int check(const std::string& folder, const std::string& device, const std::vector<std::string>& names) {
  const std::unique_ptr<FusionBackend> backend = device.starts_with("rocm") ? make_rocm_backend() : make_cuda_backend();
  const auto runtime = open(*backend, device);
  if (!runtime.ok()) return fail(runtime.error(), kNotThere);
  bool good = true;
  for (const std::string& name : names) {
    const auto one = load(folder, name);
    const Verdict verdict =
        one.ok() ? check_on(*backend, *runtime.value(), one.value()) : Verdict{"failed", one.error().message, ""};
    good = good && (verdict.state == "ok" || verdict.state == "skipped");
    print(name, verdict);
  }
  return good ? 0 : 1;
}

int sweep(const std::string& device, const std::string& mebibytes, const std::string& seconds) {
  const std::unique_ptr<FusionBackend> backend = make_cuda_backend();
  const auto runtime = open(*backend, device);
  if (!runtime.ok()) return fail(runtime.error(), kNotThere);
  const auto measured =
      primitives::sweep(*backend, *runtime.value(), {std::atoll(mebibytes.c_str()) << 20}, std::atof(seconds.c_str()));
  if (!measured.ok()) return fail(measured.error());
  for (const InFlight& each : measured.value())
    std::printf("%s\t%lld\t%lld\t%lld\t%lld\t%.0f\n", each.form.c_str(), static_cast<long long>(each.blocks),
                static_cast<long long>(each.threads), static_cast<long long>(each.each), static_cast<long long>(each.bytes),
                each.per_second);
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.size() == 3 && words[0] == "make") return make(words[1], words[2], false);
  if (words.size() == 4 && words[0] == "make" && words[3] == "hip") return make(words[1], words[2], true);
  if (words.size() == 2 && words[0] == "compile") return compile(words[1]);
  if (words.size() >= 4 && words[0] == "check") return check(words[1], words[2], {words.begin() + 3, words.end()});
  if (words.size() == 4 && words[0] == "sweep") return sweep(words[1], words[2], words[3]);
  std::fprintf(
      stderr,
      "fuselab-primitives make FOLDER TEXTS [hip] | compile FOLDER | check FOLDER DEVICE CASE… | sweep DEVICE MIB SECONDS\n");
  return 2;
}
