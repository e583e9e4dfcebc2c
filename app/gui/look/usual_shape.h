// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace fuselab::gui {

// Returns the extents that a built-in model or workload has by default, as --shape takes them: "batch=1,seq=128". Several where it
// is measured at several; empty where it has no symbols or is not built in.
QStringList usual_shapes(const QString& subject);

}  // namespace fuselab::gui
