// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/cpu/recurrence/recurrence_kernel.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a recurrence. A task has some sequences of one direction. It makes the products of W with X of several steps at once, so
// that a row of W is read once for all of them, and goes through these steps: the products of R with the states, then all gates of
// a unit together, with the states in the thread's scratch. Reads vector, sequences, steps, pack.
// With pack, W and R are laid out ahead for products of several sequences at once.
Function lower_recurrence(const Graph& graph, const RecurrenceKernel& kernel, const LaunchConfig& config);

// Returns whether W and R may be laid out ahead: they are constant, all sequences are equally long, and units fill registers.
bool may_lay_out_ahead(const Graph& graph, const RecurrenceKernel& kernel, std::int64_t lanes);

}  // namespace fuselab::codegen
