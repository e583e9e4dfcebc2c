// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab {

// Returns a text as one word of a shell's command line, quoted where it must be.
std::string shell_word(const std::string& word);

}  // namespace fuselab
