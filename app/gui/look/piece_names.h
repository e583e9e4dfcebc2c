// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

// Shortens the names of the pieces of one model so that they still differ from each other.
namespace fuselab::gui {

// Returns each name without the operators at its end, "layer1/0/conv2", where no other name has the same form; else the whole name.
// Keeps number and order.
QStringList brief_names(const QStringList& names);

// Returns the ends of paths ("encoder/layer.0/attention/softmax" → "attention/softmax"), each just long enough to differ from the
// others.
QStringList short_names(const QStringList& names);

}  // namespace fuselab::gui
