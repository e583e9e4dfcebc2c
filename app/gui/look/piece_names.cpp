// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/piece_names.h"

#include <QHash>
#include <vector>

namespace fuselab::gui {
namespace {

QString end_of_path(const QString& path, qsizetype parts) {
  const QStringList all = path.split(QLatin1Char('/'));
  return all.size() > parts ? all.mid(all.size() - parts).join(QLatin1Char('/')) : path;
}

// Operators are written as ONNX does, "Conv+BatchNormalization+Relu"; the scopes before them begin with a small letter.
QString without_operators(const QString& name) {
  const qsizetype cut = name.lastIndexOf(u'/');
  return cut > 0 && cut + 1 < name.size() && name[cut + 1].isUpper() ? name.left(cut) : name;
}

}  // namespace

QStringList brief_names(const QStringList& names) {
  QHash<QString, int> owners;
  for (const QString& name : names) {
    const QString brief = without_operators(name);
    ++owners[brief];
    if (brief != name) ++owners[name];
  }
  QStringList shown;
  for (const QString& name : names) {
    const QString brief = without_operators(name);
    shown << (owners.value(brief) == 1 ? brief : name);
  }
  return shown;
}

PieceName parts_of_name(const QString& name) {
  const QString scope = without_operators(name);
  if (scope != name) return {scope, name.mid(scope.size() + 1)};
  return {name, !name.isEmpty() && name.front().isUpper() ? name : QString()};
}

QStringList short_names(const QStringList& names) {
  constexpr qsizetype kParts = 2;
  std::vector<qsizetype> parts(static_cast<std::size_t>(names.size()), kParts);
  QStringList shown;
  for (bool longer = true; longer;) {
    shown.clear();
    for (qsizetype i = 0; i < names.size(); ++i) shown << end_of_path(names[i], parts[static_cast<std::size_t>(i)]);
    longer = false;
    for (qsizetype i = 0; i < names.size(); ++i) {
      // A name that is whole cannot grow any more: "output/x" beside "attention/output/x".
      if (shown.count(shown[i]) == 1 || shown[i] == names[i]) continue;
      ++parts[static_cast<std::size_t>(i)];
      longer = true;
    }
  }
  return shown;
}

QStringList shortest_names(const QStringList& names) {
  return short_names(brief_names(names));
}

}  // namespace fuselab::gui
