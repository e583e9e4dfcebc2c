// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// LSTM, GRU and RNN, each as one kernel. Directions and sequences are independent of each other and are the tasks; a sequence goes
// through its steps in one task.
Family recurrence_family();

// Returns true when the family writes this operator.
bool recurrences_cover(Op op);

}  // namespace fuselab::codegen
