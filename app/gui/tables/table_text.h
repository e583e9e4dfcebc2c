// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace fuselab::gui {

// Rows of any table as text for other programs. Header first; empty `rows`: all of them.
QString csv_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});       // RFC 4180
QString markdown_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});  // GitHub table

enum class TextFormat { kCsv, kMarkdown };
QString text_of_rows(const QAbstractItemModel& model, const std::vector<int>& rows, TextFormat format);

// A model whose rows are fetched when they are looked at: it gives the text of rows once it has them, never of what it has not.
class LateRows {
 public:
  virtual ~LateRows() = default;
  // done(text) on this thread, at once or later. An error where they cannot be had.
  virtual void fetch_text(int first, int last, TextFormat format, std::function<void(Result<QString>)> done) = 0;
};

}  // namespace fuselab::gui
