// SPDX-License-Identifier: Apache-2.0
#include "backends/builtin_backends.h"

#include <algorithm>
#include <array>

#include "backends/declared/declared_backend.h"

namespace fuselab {

// CMakeLists.txt writes EACH(cpu) EACH(cuda) … for the folders that it found: those that are built, and those whose option is off.
#define EACH(id) std::unique_ptr<FusionBackend> make_##id##_backend();
FUSELAB_BUILT_BACKENDS
#undef EACH

namespace {

using Make = std::unique_ptr<FusionBackend> (*)();

#define EACH(id) make_##id##_backend,
constexpr Make kMake[] = {FUSELAB_BUILT_BACKENDS};
#undef EACH

#define EACH(id) std::string_view(#id),
constexpr std::string_view kBuilt[] = {FUSELAB_BUILT_BACKENDS};
constexpr auto kLeftOut = std::to_array<std::string_view>({"", FUSELAB_LEFT_OUT_BACKENDS});
#undef EACH

}  // namespace

std::span<const std::string_view> built_backends() {
  return kBuilt;
}

std::unique_ptr<FusionBackend> make_backend(const BackendInfo& info) {
  const auto built = std::find(std::begin(kBuilt), std::end(kBuilt), info.id);
  const bool is_left_out = std::find(kLeftOut.begin(), kLeftOut.end(), info.id) != kLeftOut.end();
  auto backend = built == std::end(kBuilt) ? make_declared_backend(info, is_left_out) : kMake[built - std::begin(kBuilt)]();
  backend->set_info(info);
  return backend;
}

void register_builtin_backends(BackendFactory& factory) {
  for (const auto& info : known_backends()) {
    factory.register_backend(info.id, [&info](const BackendConfiguration& configuration) -> Result<std::unique_ptr<FusionBackend>> {
      if (!configuration.options.empty()) return invalid_argument("unknown option '" + configuration.options.begin()->first + "'");
      return make_backend(info);
    });
  }
}

void register_builtin_backends(BackendRegistry& registry) {
  BackendFactory factory;
  register_builtin_backends(factory);
  [[maybe_unused]] const auto registered = factory.register_defaults(registry);
  FL_ASSERT(registered.ok());  // defaults carry no options, so no creator refuses
}

void sweep_leftovers(const BackendRegistry& registry) {
  for (const auto& backend : registry.all()) {
    if (auto* const leaves = dynamic_cast<LeavesFiles*>(backend.get())) leaves->sweep();
  }
}

}  // namespace fuselab
