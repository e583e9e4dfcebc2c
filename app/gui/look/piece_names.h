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

// Returns the shortest form of each that still differs from the others: "layer1/0/conv2" of "encoder/layer1/0/conv2/Conv+Relu".
QStringList shortest_names(const QStringList& names);

// A name in its parts: "layer1/0/conv2/Conv+Relu" is "layer1/0/conv2" and "Conv+Relu". A name without operators has only a scope,
// and one without a scope stands in both.
struct PieceName {
  QString scope, operators;
};
PieceName parts_of_name(const QString& name);

}  // namespace fuselab::gui
