// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/library/pjrt_plugin.h"

#include <cstdlib>

#include "backends/loading/library_build.h"
#include "core/base/plain_text.h"

namespace fuselab::xla {

using namespace abi;

ProgramText stablehlo_program(std::string& text) {
  ProgramText program = args<ProgramText>();
  program.code = text.data();
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  return program;
}

Status PjrtPlugin::check(PjrtError* error, std::string_view what, ErrorCode code) const {
  if (error == nullptr) return {};
  ErrorMessageArgs message = args<ErrorMessageArgs>();
  message.error = error;
  api->error_message(&message);
  std::string text(message.message == nullptr ? "" : std::string(message.message, message.message_size));
  auto end = args<ObjectArgs<PjrtError>>();
  end.object = error;
  api->destroy_error(&end);
  return Error{code, std::string(what) + ": " + plain_line(text.substr(0, 500))};
}

Result<PjrtPlugin> open_plugin(const loading::VendorLibrary& names, const loading::Surroundings& surroundings) {
  ::unsetenv("XLA_FLAGS");
  FL_TRY(const loading::OpenedLibrary opened, open_vendor_library(names, surroundings));
  const Api* (*get_api)() = nullptr;
  const loading::Symbol symbol{"GetPjrtApi", reinterpret_cast<void**>(&get_api)};
  FL_TRY_VOID(loading::resolve(opened, {&symbol, 1}));
  PjrtPlugin plugin;
  plugin.api = get_api();
  plugin.path = opened.path;
  const Api* const api = plugin.api;
  if (api == nullptr) return Error{ErrorCode::kUnavailable, opened.path + " has no PJRT interface"};
  plugin.interface = std::to_string(api->version.major) + "." + std::to_string(api->version.minor);
  if (api->version.major != kMajor || api->version.minor < kOldestMinor || api->struct_size < sizeof(Api)) {
    return Error{ErrorCode::kUnavailable, opened.path + " has version " + plugin.interface + " of the PJRT interface; 0." +
                                              std::to_string(kOldestMinor) + " and later ones of version 0 are known"};
  }
  plugin.build = loading::build_of(opened.path);
  Head begin = args<Head>();
  FL_TRY_VOID(plugin.check(api->initialize(&begin), "initialising the plugin", ErrorCode::kUnavailable));
  return plugin;
}

}  // namespace fuselab::xla
