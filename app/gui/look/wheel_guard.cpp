// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>

namespace fuselab::gui {
namespace {

class WheelGuard : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
    event->ignore();  // what is around the field scrolls
    return true;
  }
};

}  // namespace

void guard_from_wheel(QWidget& form) {
  auto* guard = new WheelGuard(&form);
  const auto keep = [guard](QWidget* field) {
    field->setFocusPolicy(Qt::StrongFocus);  // the wheel gives no focus
    field->installEventFilter(guard);
  };
  for (QComboBox* list : form.findChildren<QComboBox*>()) keep(list);
  for (QAbstractSpinBox* number : form.findChildren<QAbstractSpinBox*>()) keep(number);
}

}  // namespace fuselab::gui
