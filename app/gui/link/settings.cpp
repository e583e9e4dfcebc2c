// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/settings.h"

#include <QCryptographicHash>

namespace fuselab::gui {
namespace {

const QString kVersionKey = QStringLiteral("version");
const QString kThemeKey = QStringLiteral("theme");
const QString kPageKey = QStringLiteral("page");
const QString kFilesGroup = QStringLiteral("files/");
const QString kLayoutGroup = QStringLiteral("layout/");

// A path has slashes, which would part groups.
QString key_of_extents(const QString& model) {
  return QStringLiteral("extents/") +
         QString::fromLatin1(QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha1).toHex());
}

}  // namespace

Settings::Settings()
    : store_(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("fuselab"), QStringLiteral("fuselab-gui")) {
  check_version();
}

Settings::Settings(const QString& file) : store_(file, QSettings::IniFormat) {
  check_version();
}

void Settings::check_version() {
  if (store_.value(kVersionKey, kVersion).toInt() == kVersion) return;
  store_.remove(QStringLiteral("layout"));
  store_.remove(kVersionKey);
}

ThemeChoice Settings::theme() const {
  return parse_theme(store_.value(kThemeKey).toString()).value_or(ThemeChoice::kSystem);
}

void Settings::set_theme(ThemeChoice choice) {
  store_.setValue(kVersionKey, kVersion);
  store_.setValue(kThemeKey, name_of(choice));
}

QStringList Settings::files(const QString& name) const {
  return store_.value(kFilesGroup + name).toStringList();
}

void Settings::set_files(const QString& name, const QStringList& files) {
  store_.setValue(kVersionKey, kVersion);
  store_.setValue(kFilesGroup + name, files);
}

QString Settings::extents(const QString& model) const {
  return store_.value(key_of_extents(model)).toString();
}

void Settings::set_extents(const QString& model, const QString& binding) {
  store_.setValue(kVersionKey, kVersion);
  store_.setValue(key_of_extents(model), binding);
}

QString Settings::page() const {
  return store_.value(kPageKey).toString();
}

void Settings::set_page(const QString& page) {
  store_.setValue(kVersionKey, kVersion);
  store_.setValue(kPageKey, page);
}

QByteArray Settings::layout(const QString& name) const {
  return store_.value(kLayoutGroup + name).toByteArray();
}

void Settings::set_layout(const QString& name, const QByteArray& state) {
  store_.setValue(kVersionKey, kVersion);
  store_.setValue(kLayoutGroup + name, state);
}

}  // namespace fuselab::gui
