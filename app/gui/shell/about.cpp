// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/about.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace fuselab::gui {

void show_about(const QString& database, QWidget* window) {
  auto* const box =
      new QMessageBox(QMessageBox::NoIcon, QMessageBox::tr("About Fuselab"),
                      QMessageBox::tr("Fuselab %1").arg(QCoreApplication::applicationVersion()), QMessageBox::Close, window);
  box->setInformativeText(
      QMessageBox::tr(
          "Which backend runs each fused piece of a model fastest, how much fusion gains, and how far that is from "
          "the hardware's limit.\n\nThe program is under GPL-3.0-or-later, because Qt Charts is; Fuselab's own source is "
          "under Apache-2.0.\n\nDatabase: %1\nQt %2")
          .arg(database, QString::fromLatin1(qVersion())));
  box->setObjectName(QStringLiteral("about"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace fuselab::gui
