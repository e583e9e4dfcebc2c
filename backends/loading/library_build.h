// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab::loading {

// Returns what tells two builds of a library apart, also of one version: 12 hexadecimal digits of the size and both ends of the
// file, where its tables and its build id are; a plugin has 200 MB. Empty where the file cannot be read.
std::string build_of(const std::string& path);

}  // namespace fuselab::loading
