// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/content_hash.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab {

// One file of a wheel. The list itself stands in the list without hash and size.
struct WheelFile {
  std::string path;  // inside the wheel, with '/'
  ContentHash hash;  // empty: none is stated
  Bytes size;
};

// Reads the list of files of a wheel (Python packaging: "Recording installed projects", the file RECORD): one line each of path,
// "sha256=" with the hash in URL-safe base64 without padding, and size, as comma-separated values.
// Fails with kCorrupt, naming the line: another algorithm, a path that leaves the wheel.
Result<std::vector<WheelFile>> parse_wheel_record(std::string_view text);

}  // namespace fuselab
