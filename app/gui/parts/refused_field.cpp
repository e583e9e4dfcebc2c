// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/refused_field.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QStyle>

#include "app/gui/look/nearest_name.h"

namespace fuselab::gui {
namespace {

constexpr int kMostOfField = 2;  // the button takes at most this part of the field

bool is_about_shape(const QString& reason) {
  static const QRegularExpression kShape(QStringLiteral("is no symbol|is no size of|needs a value for|^[Ss]hape\\b"));
  return kShape.match(reason).hasMatch();
}

// Paths of the models beside the file that is typed.
QStringList files_beside(const QString& typed) {
  if (!typed.contains(u'/')) return {};
  const QFileInfo file(typed);
  QStringList paths;
  for (const QString& name : file.dir().entryList({QStringLiteral("*.onnx"), QStringLiteral("*.toml"), QStringLiteral("*.graph")},
                                                  QDir::Files, QDir::Name))
    paths << file.path() + u'/' + name;
  return paths;
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
  // What is wrong in a file is said of its name alone.
  const QString whole = field_->text().trimmed();
  const bool is_meant = !whole.isEmpty() && (reason.contains(whole) || reason.contains(QFileInfo(whole).fileName()));
  return is_meant ? whole : QString();
}

// "they have batch, seq", "near it: w3-residual-rmsnorm".
QString RefusedField::nearest_to(const QString& word, const QString& reason) const {
  static const QRegularExpression kList(QStringLiteral("(?:they have|it has|its inputs have|near it:|there are) ([\\w., -]+)"));
  static const QRegularExpression kSeparator(QStringLiteral("[, ]+"));
  if (word.isEmpty()) return {};
  if (word.contains(u'/')) {
    // Of a path it is the last name that is misspelt: the folder would make all of them alike.
    QStringList names;
    for (const QString& path : QFileInfo::exists(word) ? QStringList() : files_beside(word)) names << QFileInfo(path).fileName();
    const QString name = nearest_name(QFileInfo(word).fileName(), names);
    return name.isEmpty() ? QString() : QFileInfo(word).path() + u'/' + name;
  }
  const QRegularExpressionMatch list = kList.match(reason);
  QStringList names = names_ + (list.hasMatch() ? list.captured(1).split(kSeparator, Qt::SkipEmptyParts) : QStringList());
  names.removeAll(word);  // a name that was refused may be one of those that were chosen last
  return nearest_name(word, names);
}

bool RefusedField::refuse(const QString& reason) {
  clear();
  if (holds_ == Holds::kFile && !reason.isEmpty()) {
    mark(true, reason);
    return true;
  }
  if (reason.isEmpty()) return false;
  const bool of_shape = holds_ == Holds::kShape;
  word_ = word_in(reason);
  if (is_about_shape(reason) != of_shape || (word_.isEmpty() && !of_shape)) return false;
  mark(true, reason);
  nearest_ = nearest_to(word_, reason);
  if (nearest_.isEmpty()) return true;
  button_->setText(tr("Use %1").arg(QFileInfo(nearest_).fileName()));
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
  // A combo box draws the frame of its line.
  auto* const box = qobject_cast<QComboBox*>(field_->parentWidget());
  for (QWidget* framed : std::initializer_list<QWidget*>{field_, box}) {
    if (framed == nullptr) continue;
    framed->setProperty("refused", refused);
    framed->style()->unpolish(framed);
    framed->style()->polish(framed);
    framed->update();
  }
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

bool RefusedModel::refuse(const QString& reason) {
  shape_->clear();
  if (subject_->refuse(reason)) return true;
  shape_->refuse(reason);
  return false;
}

}  // namespace fuselab::gui
