// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "app/gui/look/theme.h"

namespace fuselab::gui {

// The state kept between starts: theme, window, page, splitters, column widths. One INI file with a version; a layout of another
// version is ignored. GUI thread.
class Settings {
 public:
  static constexpr int kVersion = 1;

  Settings();                              // the user's own file
  explicit Settings(const QString& file);  // tests, screenshots

  ThemeChoice theme() const;
  void set_theme(ThemeChoice choice);
  QString page() const;
  void set_page(const QString& page);
  // Returns the files that a page last had open; empty when never stored.
  QStringList files(const QString& name) const;
  void set_files(const QString& name, const QStringList& files);
  // Returns the extents that a model was last shown with, "batch=1,seq=128"; empty when never stored. A file is known by its path.
  QString extents(const QString& model) const;
  void set_extents(const QString& model, const QString& binding);
  // Returns the opaque state of a window, splitter or header by name; empty when never stored.
  QByteArray layout(const QString& name) const;
  void set_layout(const QString& name, const QByteArray& state);
  void sync() { store_.sync(); }

 private:
  void check_version();

  QSettings store_;
};

}  // namespace fuselab::gui
