// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/refused_field.h"

#include <QAction>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QStyle>

#include "app/gui/look/nearest_name.h"

namespace fuselab::gui {
namespace {

constexpr int kMostOfField = 2;  // the button takes at most this part of the field

bool is_about_shape(const QString& reason) {
  static const QRegularExpression kShape(QStringLiteral("is no symbol|is no size of|needs a value for|^Shape"));
  return kShape.match(reason).hasMatch();
}

}  // namespace

RefusedField::RefusedField(QLineEdit* field, Holds holds, QStringList names)
    : QObject(field),
      field_(field),
      holds_(holds),
      names_(std::move(names)),
      icon_(field->addAction(field->style()->standardIcon(QStyle::SP_MessageBoxWarning), QLineEdit::LeadingPosition)),
      button_(new QPushButton(field)) {
  icon_->setVisible(false);
  // The line of a combo box has no name of its own.
  const QString name =
      field->objectName().isEmpty() && field->parent() != nullptr ? field->parent()->objectName() : field->objectName();
  button_->setObjectName(name + QLatin1String(".nearest"));
  button_->setAccessibleName(tr("Use the nearest name"));
  button_->setCursor(Qt::ArrowCursor);
  button_->hide();
  field->installEventFilter(this);
  connect(field, &QLineEdit::textChanged, this, &RefusedField::clear);
  connect(button_, &QPushButton::clicked, this, [this] {
    QString text = field_->text();
    text.replace(QRegularExpression(QStringLiteral("(?<![\\w.-])%1(?![\\w.-])").arg(QRegularExpression::escape(word_))), nearest_);
    field_->setText(text);
    field_->setFocus();
    emit replaced();
  });
}

QString RefusedField::word_in(const QString& reason) const {
  static const QRegularExpression kQuoted(QStringLiteral("'([^']+)'"));
  for (auto each = kQuoted.globalMatch(reason); each.hasNext();) {
    const QString word = each.next().captured(1);
    if (field_->text().contains(word)) return word;
  }
  const QString whole = field_->text().trimmed();
  return !whole.isEmpty() && reason.contains(whole) ? whole : QString();
}

// "they have batch, seq", "near it: w3-residual-rmsnorm".
QStringList RefusedField::names_for(const QString& reason) const {
  static const QRegularExpression kList(QStringLiteral("(?:they have|it has|near it:|there are) ([\\w., -]+)"));
  static const QRegularExpression kSeparator(QStringLiteral("[, ]+"));
  const QRegularExpressionMatch list = kList.match(reason);
  return names_ + (list.hasMatch() ? list.captured(1).split(kSeparator, Qt::SkipEmptyParts) : QStringList());
}

bool RefusedField::refuse(const QString& reason) {
  clear();
  if (reason.isEmpty()) return false;
  const bool of_shape = holds_ == Holds::kShape;
  word_ = word_in(reason);
  if (is_about_shape(reason) != of_shape || (word_.isEmpty() && !of_shape)) return false;
  mark(true, reason);
  nearest_ = word_.isEmpty() ? QString() : nearest_name(word_, names_for(reason));
  if (nearest_.isEmpty()) return true;
  button_->setText(tr("Use %1").arg(nearest_));
  button_->setAccessibleName(button_->text());
  button_->setToolTip(tr("%1\nPress to use %2 instead").arg(reason, nearest_));
  button_->show();
  place_button();
  return true;
}

void RefusedField::clear() {
  if (!icon_->isVisible()) return;
  mark(false, {});
  button_->hide();
  field_->setTextMargins(0, 0, 0, 0);
}

void RefusedField::mark(bool refused, const QString& reason) {
  icon_->setVisible(refused);
  icon_->setToolTip(reason);
  icon_->setText(reason);
  field_->setAccessibleDescription(reason);
  field_->setProperty("refused", refused);
  field_->style()->polish(field_);
}

void RefusedField::place_button() {
  const int width = std::min(button_->sizeHint().width(), field_->width() / kMostOfField);
  button_->setGeometry(field_->width() - width - 1, 1, width, field_->height() - 2);
  field_->setTextMargins(0, 0, width, 0);
}

bool RefusedField::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && !button_->isHidden()) place_button();
  return QObject::eventFilter(watched, event);
}

RefusedModel::RefusedModel(QLineEdit* subject, QLineEdit* shape, const QStringList& names)
    : QObject(subject),
      subject_(new RefusedField(subject, RefusedField::Holds::kSubject, names)),
      shape_(new RefusedField(shape, RefusedField::Holds::kShape)) {
  for (const RefusedField* field : {subject_, shape_}) connect(field, &RefusedField::replaced, this, &RefusedModel::replaced);
}

void RefusedModel::refuse(const QString& reason) {
  shape_->clear();
  if (!subject_->refuse(reason)) shape_->refuse(reason);
}

}  // namespace fuselab::gui
