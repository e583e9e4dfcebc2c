// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/blanks_last_proxy.h"

#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {
namespace {

bool is_blank(const QVariant& value) {
  return value.typeId() == QMetaType::Double && value.toDouble() == kBlankSort;
}

}  // namespace

BlanksLastProxy::BlanksLastProxy(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(TableModelBase::kSortRole);
}

bool BlanksLastProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool a = is_blank(left.data(sortRole())), b = is_blank(right.data(sortRole()));
  if (a == b) return QSortFilterProxyModel::lessThan(left, right);
  return sortOrder() == Qt::AscendingOrder ? b : a;
}

}  // namespace fuselab::gui
