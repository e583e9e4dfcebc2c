// SPDX-License-Identifier: Apache-2.0
#include "backends/openmp/openmp_backend.h"

#include <cstdlib>

#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"
#include "backends/loading/library_build.h"
#include "backends/loading/vendor_library.h"
#include "backends/native/compiler/compiler_process.h"
#include "backends/native/compiler/host_compiler.h"
#include "backends/native/compiler/trial_compilation.h"
#include "backends/native/cpu_runtime.h"
#include "backends/openmp/openmp_generator.h"
#include "core/base/content_hash.h"

namespace fuselab {
namespace {

constexpr std::string_view kSonames[] = {"libgomp.so.1"};
constexpr const char* kCompilers[] = {"gcc"};
constexpr std::chrono::seconds kCompileLimit{60};
// What compiled kernels call: one that an older runtime lacks would fail in every trial, and nothing would say so before.
void* unused_address = nullptr;
const loading::Symbol kSymbols[] = {{"GOMP_parallel", &unused_address},
                                    {"GOMP_loop_nonmonotonic_dynamic_start", &unused_address},
                                    {"GOMP_loop_nonmonotonic_dynamic_next", &unused_address},
                                    {"GOMP_loop_nonmonotonic_guided_start", &unused_address},
                                    {"GOMP_loop_nonmonotonic_guided_next", &unused_address},
                                    {"GOMP_loop_end_nowait", &unused_address},
                                    {"omp_get_thread_num", &unused_address},
                                    {"omp_get_num_threads", &unused_address}};

// GCC's OpenMP runtime. Opened before any kernel that needs it, so that it reads where threads may lie from the environment made
// here, while the calling thread still may run everywhere. It pins that thread to the first place: whoever then counts processors
// would find one.
Result<loading::OpenedLibrary> open_runtime() {
  const std::vector<int> cpus = host::usable_cpus();
  std::string places;
  for (const int cpu : cpus) places += (places.empty() ? "{" : ",{") + std::to_string(cpu) + "}";
  ::setenv("OMP_PLACES", places.c_str(), 1);
  ::setenv("OMP_PROC_BIND", "close", 1);
  ::setenv("OMP_DYNAMIC", "false", 1);
  ::unsetenv("OMP_THREAD_LIMIT");
  ::unsetenv("OMP_WAIT_POLICY");
  // Threads spin for about a tenth of a millisecond, since launches follow each other closely, and then sleep: another plan of the
  // block has the processors to itself.
  ::setenv("GOMP_SPINCOUNT", "10000", 1);
  FL_TRY(loading::OpenedLibrary opened,
         loading::open_vendor_library({.name = "OPENMP", .sonames = kSonames, .folders = {}, .wheel_folders = {}},
                                      loading::real_surroundings("OPENMP")));
  host::pin_thread(cpus);
  FL_TRY_VOID(loading::resolve(opened, kSymbols));
  return opened;
}

DeviceInfo describe_device(const std::string& library) {
  DeviceInfo info = host::describe_cpu();
  const std::string processor = info.uuid;
  info.id = "openmp:0";
  info.backend = "openmp";
  info.name += " (this CPU through OpenMP, libgomp)";
  info.properties["uuid"] = processor;  // the silicon that cpu:0 is
  info.properties["library"] = library;
  info.properties["build"] = loading::build_of(library);  // libgomp says no version
  info.uuid = IdentityHasher("openmp").add("processor", processor).add("build", info.properties["build"]).finish().hex();
  return info;
}

class OpenMpBackend final : public FusionBackend, public LeavesFiles {
 public:
  std::string_view id() const override { return "openmp"; }
  Availability probe() override {
    const auto& runtime = library();
    if (!runtime.ok()) return Availability::unavailable(runtime.error().message);
    const Availability found = compiler_.probe();
    return found.usable ? cpu::trial_compilation(compiler_, host::describe_cpu().target) : found;
  }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& runtime = library();
    if (!runtime.ok()) return runtime.error();
    return std::vector<DeviceInfo>{describe_device(runtime.value().path)};
  }
  BackendCapabilities capabilities(const DeviceInfo&) override { return cpu::cpu_capabilities(); }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& runtime = library();
    if (!runtime.ok()) return runtime.error();
    DeviceInfo here = describe_device(runtime.value().path);
    if (device.id != here.id)
      return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': OpenMP drives this machine's CPU, openmp:0"};
    return std::unique_ptr<DeviceRuntime>(std::make_unique<cpu::CpuRuntime>(std::move(here), host::usable_cpus()));
  }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }
  void sweep() override { cpu::sweep_compilations(); }

 private:
  const Result<loading::OpenedLibrary>& library() {
    if (!library_) library_.emplace(open_runtime());
    return *library_;
  }

  openmp::OpenMpGenerator generator_;
  // GCC alone: what another compiler makes of -fopenmp wants another runtime.
  cpu::HostCompiler compiler_{cpu::programs_called(kCompilers), kCompileLimit, "-fopenmp"};
  std::optional<Result<loading::OpenedLibrary>> library_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_openmp_backend() {
  return std::make_unique<OpenMpBackend>();
}

}  // namespace fuselab
