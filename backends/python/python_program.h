// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace fuselab::python {

// A Python that can import what a stack needs.
struct PythonProgram {
  std::filesystem::path interpreter;
  std::vector<std::filesystem::path> packages = {};  // folders of unpacked wheels, in front of its own packages
};

// Returns the interpreter that $FUSELAB_PYTHON names, with the packages that it has; else python3 with the wheels that `fuselab
// backends install` put here for this stack, whose files are held against the manifest: see checked_stack(). Starts nothing.
// Fails with kUnavailable and what to do, and with kUntrusted where the wheels were changed.
Result<PythonProgram> find_python(std::string_view stack);

}  // namespace fuselab::python
