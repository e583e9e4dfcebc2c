// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// Returns the module's text: `header` as a comment, the prelude functions that the kernel calls, the kernel.
std::string emit(const Function& function, const Dialect& dialect, const std::string& header);

}  // namespace fuselab::codegen
