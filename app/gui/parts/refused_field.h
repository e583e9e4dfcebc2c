// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>

class QAction;
class QLineEdit;
class QPushButton;

namespace fuselab::gui {

// Marks a field whose text was refused, until the text is changed: a thick underline, an icon and a description with the reason,
// and inside of the field a button with the nearest name that exists. Owned by the field.
class RefusedField : public QObject {
  Q_OBJECT

 public:
  enum class Holds { kSubject, kShape, kFile };  // a file: every reason is about it

  // `names`: those that a subject may have. The symbols of a shape are those that the reason names.
  RefusedField(QLineEdit* field, Holds holds, QStringList names = {});

  // Marks the field where the reason is about what it holds. Returns whether it is.
  bool refuse(const QString& reason);
  void clear();

 signals:
  void replaced();  // by the name on the button

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  // Returns the word of the field that the reason names; empty: none.
  QString word_in(const QString& reason) const;
  QString nearest_to(const QString& word, const QString& reason) const;
  void mark(bool refused, const QString& reason);
  void place_button();

  QLineEdit* field_;
  Holds holds_;
  QStringList names_;
  QAction* icon_;
  QPushButton* button_;
  QString word_, nearest_;
};

// The fields of one model: its subject and its shape.
class RefusedModel : public QObject {
  Q_OBJECT

 public:
  // `names`: that a subject may have. Owned by the field of the subject.
  RefusedModel(QLineEdit* subject, QLineEdit* shape, const QStringList& names);
  // Marks the field that the reason is about; an empty reason marks none. Returns whether it is about the subject.
  bool refuse(const QString& reason);

 signals:
  void replaced();

 private:
  RefusedField* subject_;
  RefusedField* shape_;
};

}  // namespace fuselab::gui
