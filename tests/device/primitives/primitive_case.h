// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::primitives {

// A kernel of CUDA or HIP with its inputs, and what the SIMT executor made of them. A bundle carries it as a folder, so that a
// device is held against it bit for bit.
struct PrimitiveCase {
  std::string name;
  int capability = 80;               // compute capability that it needs
  bool group_products = false;       // and the instructions of sm_90a alone
  std::vector<std::string> targets;  // that it is for; empty: CUDA's, by the two above
  SourceModule source;
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> expected;  // of each output
  std::string told;                              // an output that is told, not judged; empty: none
  int ulps = 0;                                  // of an output's type, that a result may differ by
  int lane_values = 0;                           // values of each lane in the first output; 0: it is no map of lanes
};

// Writes and reads `folder`/NAME. Reading fails with kIo or kCorrupt, naming the file.
Status save(const PrimitiveCase& one, const std::filesystem::path& folder);
Result<PrimitiveCase> load(const std::filesystem::path& folder, const std::string& name);

// The names in a folder, in the order in which they are tried.
Status save_order(const std::vector<std::string>& names, const std::filesystem::path& folder);
Result<std::vector<std::string>> load_order(const std::filesystem::path& folder);

}  // namespace fuselab::primitives
