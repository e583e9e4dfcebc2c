// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <span>

#include "app/gui/look/icons.h"
#include "app/gui/pages/page.h"

namespace fuselab::gui {

// One row of pages.def, from which navigation, shortcuts, command palette, settings and --page are made.
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
