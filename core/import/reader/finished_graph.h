// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/reader/import_notes.h"
#include "core/import/wire/imported_model.h"

namespace fuselab::onnx {

// Leaves out the operators that no output needs: what runs a graph has no use for them.
void leave_out_dead(ImportedModel& model, ImportNotes& notes);
// Replaces operators that the file writes out as several nodes by single nodes, where fusion could not make one kernel of them.
void recompose_written_out(ImportedModel& model, ImportNotes& notes);

}  // namespace fuselab::onnx
