// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <span>

#include "app/gui/look/icons.h"
#include "app/gui/pages/page.h"

namespace fuselab::gui {

// One row of pages.def. Navigation, shortcuts, command palette, settings and --page follow from it.
struct PageSpec {
  PageId id;
  const char* name;
  const char* title;
  const char* shortcut;
  Glyph icon;
  bool stored;
  Page* (*make)(const Workbench& bench);
};

std::span<const PageSpec> page_specs();
const PageSpec& spec_of(PageId page);

}  // namespace fuselab::gui
