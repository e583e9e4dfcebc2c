// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/page_spec.h"

namespace fuselab::gui {

#define PAGE(id, name, title, shortcut, icon, stored) Page* make_##name##_page(const Workbench& bench);
#include "app/gui/pages/pages.def"
#undef PAGE

std::span<const PageSpec> page_specs() {
  static constexpr PageSpec kSpecs[] = {
#define PAGE(id, name, title, shortcut, icon, stored) {PageId::id, #name, title, shortcut, Glyph::icon, stored, make_##name##_page},
#include "app/gui/pages/pages.def"
#undef PAGE
  };
  return kSpecs;
}

const PageSpec& spec_of(PageId page) {
  return page_specs()[static_cast<std::size_t>(page)];
}

QString name_of(PageId page) {
  return QString::fromLatin1(spec_of(page).name);
}

QString title_of(PageId page) {
  return Page::tr(spec_of(page).title);
}

std::optional<PageId> parse_page(const QString& name) {
  for (PageId page : kAllPages) {
    if (name_of(page) == name) return page;
  }
  return std::nullopt;
}

}  // namespace fuselab::gui
