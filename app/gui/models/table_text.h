// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <vector>

namespace fuselab::gui {

// Rows of any table as text for other programs. Header first; empty `rows`: all of them.
QString csv_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});       // RFC 4180
QString markdown_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});  // GitHub table

}  // namespace fuselab::gui
