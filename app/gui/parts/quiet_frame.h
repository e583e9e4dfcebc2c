// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace fuselab::gui {

// Gives a widget all its room and keeps the widget's changes of layout to itself. Texts that change several times a second would
// otherwise have the whole window laid out anew each time, with all its pages. For what has its size from the window, whatever it
// shows.
class QuietFrame : public QWidget {
  Q_OBJECT

 public:
  explicit QuietFrame(QWidget* content, QWidget* parent = nullptr);

  QSize sizeHint() const override { return content_->sizeHint(); }
  QSize minimumSizeHint() const override { return content_->minimumSizeHint(); }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* content_;
};

}  // namespace fuselab::gui
