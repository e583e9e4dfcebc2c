// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ops/own_kernel.h"
#include "core/types/shape.h"

namespace fuselab::engine {

// What a file says before other files are read.
struct OwnText {
  OwnKernel kernel;                  // without its source; the reference as it is written
  std::vector<std::string> sources;  // names of files, in order
  std::string reference_file;        // empty: the reference stands in the file itself, or there is none
  std::vector<std::string> notes;
  std::vector<int> parameter_lines;  // of each parameter; empty: the format has no lines
  std::string not_runnable;          // why it can only be looked at; empty: it may be run
  bool may_lack_source = false;      // the file may be looked at without: recordings of other tools come so
};

// Reads Fuselab's own format. `name` is the file's, for messages.
// Fails with kInvalidArgument, naming file, line and field.
Result<OwnText> read_own_toml(std::string_view text, const std::string& name, const Bindings& sizes);

// A formula over sizes alone, as extents are.
Result<std::int64_t> size_formula(const std::string& text, const std::map<std::string, std::int64_t>& sizes);

}  // namespace fuselab::engine
