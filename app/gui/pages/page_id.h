// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace fuselab::gui {

// The pages, by their rows in pages.def.
enum class PageId {
#define PAGE(id, name, title, shortcut, icon, stored) id,
#include "app/gui/pages/pages.def"
#undef PAGE
};
inline constexpr PageId kAllPages[] = {
#define PAGE(id, name, title, shortcut, icon, stored) PageId::id,
#include "app/gui/pages/pages.def"
#undef PAGE
};
QString name_of(PageId page);  // "compare": settings, command line
QString title_of(PageId page);
std::optional<PageId> parse_page(const QString& name);

}  // namespace fuselab::gui
