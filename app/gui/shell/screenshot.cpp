// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/screenshot.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>

#include "app/gui/shell/main_window.h"

namespace fuselab::gui {
namespace {

constexpr int kQuietMilliseconds = 300;  // at rest that long: answers that cause new questions have been asked
constexpr int kNestedLayouts = 8;        // each may ask the one around it for more room

}  // namespace

Status take_screenshot(MainWindow& window, const QString& file, int seconds) {
  QElapsedTimer total, quiet;
  total.start();
  quiet.start();
  while (quiet.elapsed() < kQuietMilliseconds) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    if (!window.is_settled()) quiet.restart();
    if (total.elapsed() > seconds * 1000LL)
      return Error{ErrorCode::kTimeout, "the window did not come to rest within " + std::to_string(seconds) + " s"};
    QThread::msleep(5);
  }
  // The last changes may not be laid out yet: a text that just changed would be cut to the room of the one before.
  for (int depth = 0; depth < kNestedLayouts; ++depth) QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  if (!window.grab().save(file, "PNG")) return Error{ErrorCode::kIo, file.toStdString() + ": cannot be written"};
  return {};
}

}  // namespace fuselab::gui
