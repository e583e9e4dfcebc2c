// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSortFilterProxyModel>

namespace fuselab::gui {

// Sorts by kSortRole. Cells without a figure (kBlankSort) come last in both directions: who sorts downwards looks for the largest.
class BlanksLastProxy : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit BlanksLastProxy(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace fuselab::gui
