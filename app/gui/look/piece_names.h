// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

// Names of the pieces of one model, shortened together so that they still tell the pieces apart.
namespace fuselab::gui {

// Without the operators at the end, "layer1/0/conv2", where that is no other's name; else whole. As many as were given, in order.
QStringList brief_names(const QStringList& names);

// The ends of paths ("encoder/layer.0/attention/softmax" → "attention/softmax"), each as long as it takes to tell it from the
// others.
QStringList short_names(const QStringList& names);

}  // namespace fuselab::gui
