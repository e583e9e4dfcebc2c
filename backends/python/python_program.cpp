// SPDX-License-Identifier: Apache-2.0
#include "backends/python/python_program.h"

#include <unistd.h>

#include <cstdlib>

#include "core/base/assert.h"
#include "core/platform/files/checked_stack.h"
#include "core/platform/files/directories.h"
#include "core/platform/processes/program_run.h"

namespace fuselab::python {

Result<PythonProgram> find_python(std::string_view stack) {
  if (const char* const named = std::getenv("FUSELAB_PYTHON"); named != nullptr && *named != '\0') {
    if (::access(named, X_OK) == 0) return PythonProgram{named, {}};
    return Error{ErrorCode::kUnavailable, "FUSELAB_PYTHON names '" + std::string(named) + "', which is no program"};
  }
  const InstallableStack* const entry = find_installable_stack(stack);
  FL_ASSERT(entry != nullptr);
  const std::filesystem::path data = platform::base_directories().data;
  FL_TRY(const auto folder, platform::checked_stack(data, *entry));
  if (!folder) {
    return Error{ErrorCode::kUnavailable, "no Python with " + std::string(stack) + " is known: `" + entry->install_command() +
                                              "` fetches it, or FUSELAB_PYTHON names a Python that has it"};
  }
  const auto interpreter = platform::find_program({"python3.11", "python3"});
  if (!interpreter) return Error{ErrorCode::kUnavailable, "python3 is not in $PATH: sudo apt install python3"};
  return PythonProgram{*interpreter, {*folder}};
}

}  // namespace fuselab::python
