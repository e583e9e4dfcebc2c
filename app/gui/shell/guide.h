// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QWidget;

namespace fuselab::gui {

// Returns the part of the guide that explains a page, as Markdown without pictures: from the heading that names the title to the
// next one. The whole guide where none does.
QString guide_to(const QString& page_title);

// Shows it beside the window, which stays usable.
void show_guide(const QString& page_title, QWidget* window);

}  // namespace fuselab::gui
