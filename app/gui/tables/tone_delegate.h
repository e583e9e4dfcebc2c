// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>
#include <QStyledItemDelegate>

namespace fuselab::gui {

// Words as far as there is room for them; of a path its end rather than its beginning.
QString fitting_text(const QString& words, const QFontMetrics& metrics, int width);
// The same of words that have a brief form, which stands for them where they do not fit whole.
QString fitting_words(const QString& words, const QString& brief, const QFontMetrics& metrics, int width);
// A figure, else its brief form, else the sign that there is no room ("##"): never a part of it, and never "…", which is "not
// measured".
QString fitting_figure(const QString& figure, const QString& brief, const QFontMetrics& metrics, int width);

// Paints a cell in the colour of its tone and, where the model says so, in bold. Straight, without the style's detours through
// style sheets, and each text is laid out once for all cells and frames that show it: a table of a million rows is scrolled, and
// every frame paints each visible cell.
class ToneDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  // `wraps`: words take as many lines as they need, and may also break after a comma: "loop_order=0,pack=1".
  explicit ToneDelegate(QObject* parent = nullptr, bool wraps = false);

  int height_of(const QModelIndex& index, const QFont& font, int width) const;  // of a cell that wraps
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  // What decides how a cell's text is shown; `width` in pixels.
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

  // Painting changes nothing but what is remembered; forgotten when the font changes.
  mutable QFont font_, strong_font_;
  mutable QCache<Line, QStaticText> laid_out_;
};

}  // namespace fuselab::gui
