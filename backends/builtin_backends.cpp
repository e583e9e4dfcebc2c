// SPDX-License-Identifier: Apache-2.0
#include "backends/builtin_backends.h"

#include "backends/declared/declared_backend.h"
#include "core/backend/backend_names.h"

#ifdef FUSELAB_BACKEND_CPU_ENABLED
#include "backends/cpu/compiler_process.h"
#include "backends/cpu/cpu_backend.h"
#endif
#ifdef FUSELAB_BACKEND_CUDA_ENABLED
#include "backends/cuda/cuda_backend.h"
#endif
#ifdef FUSELAB_BACKEND_NULL_ENABLED
#include "backends/null/null_backend.h"
#endif
#ifdef FUSELAB_BACKEND_ONEDNN_ENABLED
#include "backends/onednn/onednn_backend.h"
#endif
#ifdef FUSELAB_BACKEND_OPENCL_ENABLED
#include "backends/opencl/opencl_backend.h"
#include "backends/opencl/opencl_library.h"
#endif

namespace fuselab {
namespace {

using MakeBackend = std::function<std::unique_ptr<FusionBackend>()>;

// A creator for a backend that takes no configuration: one that is given is refused, not ignored.
BackendFactory::Creator without_configuration(MakeBackend make) {
  return [make = std::move(make)](const BackendConfiguration& configuration) -> Result<std::unique_ptr<FusionBackend>> {
    if (!configuration.options.empty()) return invalid_argument("unknown option '" + configuration.options.begin()->first + "'");
    return make();
  };
}

}  // namespace

void register_builtin_backends(BackendFactory& factory) {
  for (auto const& info : known_backends()) {
    factory.register_backend(info.id, without_configuration([id = info.id] { return make_declared_backend(id); }));
  }
#ifdef FUSELAB_BACKEND_CPU_ENABLED
  factory.register_backend("cpu", without_configuration(make_cpu_backend));
#endif
#ifdef FUSELAB_BACKEND_CUDA_ENABLED
  factory.register_backend("cuda", without_configuration(make_cuda_backend));
#endif
#ifdef FUSELAB_BACKEND_OPENCL_ENABLED
  factory.register_backend("opencl", without_configuration(make_opencl_backend));
#endif
#ifdef FUSELAB_BACKEND_ONEDNN_ENABLED
  factory.register_backend("onednn", without_configuration(make_onednn_backend));
#endif
#ifdef FUSELAB_BACKEND_NULL_ENABLED
  factory.register_backend("null", without_configuration(make_null_backend));
#endif
}

void register_builtin_backends(BackendRegistry& registry) {
  BackendFactory factory;
  register_builtin_backends(factory);
  [[maybe_unused]] auto const registered = factory.register_defaults(registry);
  FL_ASSERT(registered.ok());  // defaults carry no options, so no creator refuses
}

void sweep_leftovers() {
#ifdef FUSELAB_BACKEND_CPU_ENABLED
  cpu::sweep_compilations();
#endif
#ifdef FUSELAB_BACKEND_OPENCL_ENABLED
  opencl::sweep_caches();
#endif
}

}  // namespace fuselab
