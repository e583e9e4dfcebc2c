// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/accessible_roles.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QWidget>
#include <utility>

namespace fuselab::gui {
namespace {

constexpr std::pair<const char*, QAccessible::Role> kRoles[] = {{"fuselab::gui::PlotCanvas", QAccessible::Chart},
                                                                {"fuselab::gui::BoxChart", QAccessible::Chart},
                                                                {"fuselab::gui::TotalsChart", QAccessible::Chart},
                                                                {"fuselab::gui::GraphCanvas", QAccessible::Graphic}};

QAccessibleInterface* interface_of(const QString& name, QObject* object) {
  for (const auto& [widget, role] : kRoles) {
    if (name == QLatin1String(widget) && object->isWidgetType()) return new QAccessibleWidget(static_cast<QWidget*>(object), role);
  }
  return nullptr;
}

}  // namespace

void install_accessible_roles() {
  QAccessible::installFactory(interface_of);
}

}  // namespace fuselab::gui
