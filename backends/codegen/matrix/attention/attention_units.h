// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/family.h"
#include "backends/codegen/matrix/matrix_unit.h"
#include "core/base/result.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// Attention by a matrix unit, whatever loop drives it.
struct AttentionUnits {
  Attention attention;
  const MatrixUnit* unit = nullptr;
  // Scores are the bare products, and at most hidden: their scale is a factor of the exponent.
  bool scales_exponent = false;
  bool mask_hides = false;  // what a score is: a bool mask

  bool hides() const { return attention.has_mask || attention.causal; }  // keys from some queries
  bool splits() const { return unit->operand == DType::kF32; }           // numbers into high and low parts
  // Returns the text of the products.
  std::string text() const { return splits() ? "attention_tf32x3" : "attention_halves"; }
  // Returns the bytes of a row of shared memory for vectors of so many elements; fl_part_at() lays it out.
  std::int64_t bytes_of_row(std::int64_t elements) const;
  std::int64_t bytes_of_key() const;  // and of its value
};

// Fails with kUnsupported and what keeps the graph from matrix units.
Result<AttentionUnits> make_attention_units(const Graph& graph, const Target& target);

// Returns whether a block of the target has room for the smallest tiles of a form, which take so many bytes.
Support have_room(std::int64_t bytes, const Target& target);

// Adds the rules that both forms share: `shared` and `registers` are formulas, of a block's bytes and of a thread.
void add_resource_rules(ParameterSpace& space, const std::string& shared, const std::string& registers, const std::string& threads,
                        const Target& target);

}  // namespace fuselab::codegen
