// SPDX-License-Identifier: Apache-2.0
#pragma once

class QWidget;

namespace fuselab::gui {

// Lets the Tab key go through a widget's children as they are laid out: row by row, from left to right, through splitters, tabs and
// stacks. By itself it goes by the order in which they were made. For children that are there when it is called.
void order_tabs(QWidget& widget);

}  // namespace fuselab::gui
