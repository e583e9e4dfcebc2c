// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/guide.h"

#include <QDialog>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "embedded/gui/guide.h"

namespace fuselab::gui {
namespace {

QString whole_guide() {
  const std::string_view text = guide::embedded_files().front().text;
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

QString guide_to(const QString& page_title) {
  QStringList all, section;
  bool inside = false;
  for (const QString& line : whole_guide().split(QLatin1Char('\n'))) {
    if (line.startsWith(QStringLiteral("!["))) continue;
    all << line;
    // "## Devices and Results" explains two pages.
    if (line.startsWith(QStringLiteral("## "))) inside = line.mid(3).split(QStringLiteral(" and ")).contains(page_title);
    if (inside) section << line;
  }
  return (section.isEmpty() ? all : section).join(QLatin1Char('\n'));
}

void show_guide(const QString& page_title, QWidget* window) {
  auto* dialog = new QDialog(window);
  dialog->setObjectName(QStringLiteral("guide"));
  dialog->setWindowTitle(QDialog::tr("Guide: %1").arg(page_title));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* text = new QTextBrowser(dialog);
  text->setObjectName(QStringLiteral("guide.text"));
  text->setAccessibleName(dialog->windowTitle());
  text->setOpenLinks(false);
  text->setMarkdown(guide_to(page_title));
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(text);
  dialog->resize(640, 560);
  dialog->show();
}

}  // namespace fuselab::gui
