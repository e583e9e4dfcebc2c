// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include "app/views/model_facts.h"

namespace fuselab::gui {

// Returns the extents that a built-in model or workload has by default, as --shape takes them: "batch=1,seq=128". Several where it
// is measured at several; empty where it has no symbols or is not built in.
QStringList usual_shapes(const QString& subject);

// Returns a sensible extent for a symbol whose value nobody has named: 1 for what counts a batch, a sequence's or a picture's usual
// extent for others, by the symbol's name and by the axis of the input where it stands.
int usual_extent(const engine::OpenExtent& open);

}  // namespace fuselab::gui
