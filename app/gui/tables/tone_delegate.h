// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>
#include <QStyledItemDelegate>

namespace fuselab::gui {

// Returns as much of the words as fits; of a path its end rather than its beginning.
QString fitting_text(const QString& words, const QFontMetrics& metrics, int width);
// Does the same, but shows the brief form, if there is one, where the words do not fit whole.
QString fitting_words(const QString& words, const QString& brief, const QFontMetrics& metrics, int width);
// Returns the figure, else its brief form, else the sign that there is no room ("##"). Never a part of the figure, and never "…",
// which means "not measured".
QString fitting_figure(const QString& figure, const QString& brief, const QFontMetrics& metrics, int width);

// Paints a cell in the colour of its tone and, where the model says so, in bold. It paints without the style's detours through
// style sheets and lays each text out once for all cells and frames that show it, since a table of a million rows is scrolled and
// every frame paints each visible cell.
class ToneDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  // `wraps`: words take as many lines as they need, and may also break after a comma: "loop_order=0,pack=1".
  explicit ToneDelegate(QObject* parent = nullptr, bool wraps = false);

  int height_of(const QModelIndex& index, const QFont& font, int width) const;  // of a cell that wraps
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  // The input that decides how a cell's text is shown; `width` in pixels.
  struct Line {
    QString text, brief;
    int width = 0;
    bool figure = false, strong = false;
    bool operator==(const Line&) const = default;
  };
  friend size_t qHash(const Line& line, size_t seed);

  void use(const QFont& font) const;
  static Line line_of(const QModelIndex& index, int width);
  const QStaticText& laid_out(const Line& line) const;

  bool wraps_;

  // Cached while painting, hence mutable; cleared when the font changes.
  mutable QFont font_, strong_font_;
  mutable QCache<Line, QStaticText> laid_out_;
};

}  // namespace fuselab::gui
