// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::gui {

// Tells assistive technology that plots are charts and that the graph of a model is a diagram; Qt calls a widget that draws itself
// a filler. For widgets that are made afterwards; a second call does nothing.
void install_accessible_roles();

}  // namespace fuselab::gui
