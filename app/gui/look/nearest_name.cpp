// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace fuselab::gui {
namespace {

// Letters that are put in, left out, exchanged, or swapped with their neighbour.
qsizetype changes_between(const QString& a, const QString& b) {
  const auto size = static_cast<std::size_t>(b.size()) + 1;
  std::vector<qsizetype> before(size), last(size), next(size);
  std::iota(last.begin(), last.end(), 0);
  for (qsizetype i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (qsizetype j = 0; j < b.size(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      next[at + 1] = std::min({last[at + 1] + 1, next[at] + 1, last[at] + (a[i] == b[j] ? 0 : 1)});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[at + 1] = std::min(next[at + 1], before[at - 1] + 1);
    }
    before.swap(last);
    last.swap(next);
  }
  return last.back();
}

}  // namespace

QString nearest_name(const QString& typed, const QStringList& names) {
  const QString wanted = typed.toLower();
  QString nearest;
  qsizetype fewest = std::max<qsizetype>(1, typed.size() / 3) + 1;
  for (const QString& name : names) {
    const qsizetype changes = changes_between(wanted, name.toLower());
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = name;
  }
  return nearest;
}

}  // namespace fuselab::gui
