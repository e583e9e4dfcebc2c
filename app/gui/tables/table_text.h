// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace fuselab::gui {

// Return rows of any table as text for other programs. Header first; empty `rows`: all of them.
QString csv_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});       // RFC 4180
QString markdown_of(const QAbstractItemModel& model, const std::vector<int>& rows = {});  // GitHub table

enum class TextFormat { kCsv, kMarkdown };
QString text_of_rows(const QAbstractItemModel& model, const std::vector<int>& rows, TextFormat format);

// A model whose rows are fetched when they are shown: it gives the text of rows once it has them, never placeholders for missing
// ones.
class LateRows {
 public:
  virtual ~LateRows() = default;
  // Calls done(text) on this thread, at once or later, with an error where the rows cannot be had.
  virtual void fetch_text(int first, int last, TextFormat format, std::function<void(Result<QString>)> done) = 0;
};

}  // namespace fuselab::gui
