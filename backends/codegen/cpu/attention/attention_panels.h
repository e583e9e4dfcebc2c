// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// All keys of one batch, laid out for register tiles: panels[key / width][depth][key % width], zeros behind the last key.
struct KeyPanels {
  const Attention& attention;
  const KernelParameter& key;
  ExprPtr key_at;  // offset of this batch's keys
  std::string panels;
  std::int64_t width = 0;
  int lanes = 1;
};
void lay_out_panels(Body& body, const KeyPanels& panels);

// Returns the distance between rows of scores: whole panels, and not a multiple of 4096 bytes, at which rows would share one set of
// the first cache.
std::int64_t score_stride(std::int64_t keys, std::int64_t width);

}  // namespace fuselab::codegen
