// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace fuselab::gui {

// Returns the name that was most likely meant by a mistyped one: the fewest letters to change, upper and lower case alike. Empty
// where more than a third of the letters would have to change.
QString nearest_name(const QString& typed, const QStringList& names);

}  // namespace fuselab::gui
