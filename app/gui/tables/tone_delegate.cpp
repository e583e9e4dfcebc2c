// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/tone_delegate.h"

#include <QFontMetrics>
#include <QPainter>
#include <QTextOption>
#include <cmath>

#include "app/gui/look/theme.h"
#include "app/gui/tables/table_model_base.h"
#include "core/base/assert.h"

namespace fuselab::gui {
namespace {

// Returns where the number at the end of a folder begins: it tells the folder from its neighbours, "layer3" from "layer4".
qsizetype stem_of(const QString& folder) {
  qsizetype stem = folder.size();
  while (stem > 0 && folder[stem - 1].isDigit()) --stem;
  return stem;
}

// Paths of one model begin alike, and their ends tell them apart: their folders give way first, from the left, each as little as it
// must and to one letter at most, "att…/query/Transpose", "l…3/0/conv1".
QString fitting_path(const QString& path, const QFontMetrics& metrics, int width) {
  QStringList parts = path.split(u'/');
  QString whole = path;
  for (qsizetype part = 0; part + 1 < parts.size() && metrics.horizontalAdvance(whole) > width; ++part) {
    QString& folder = parts[part];
    const qsizetype stem = stem_of(folder);
    if (stem <= 2) continue;
    const QString letters = folder.left(stem), shortest = letters.left(1) + u'…';
    const int room = width - metrics.horizontalAdvance(whole) + metrics.horizontalAdvance(letters);
    const bool fits = room > metrics.horizontalAdvance(shortest);
    folder = (fits ? metrics.elidedText(letters, Qt::ElideRight, room) : shortest) + folder.mid(stem);
    whole = parts.join(u'/');
  }
  return metrics.elidedText(whole, Qt::ElideRight, width);
}

}  // namespace

QString fitting_text(const QString& words, const QFontMetrics& metrics, int width) {
  const qsizetype slash = words.indexOf(u'/'), blank = words.indexOf(u' ');
  const bool path = slash > 0 && (blank < 0 || slash < blank);
  return path ? fitting_path(words, metrics, width) : metrics.elidedText(words, Qt::ElideRight, width);
}

QString fitting_words(const QString& words, const QString& brief, const QFontMetrics& metrics, int width) {
  return fitting_text(brief.isEmpty() || metrics.horizontalAdvance(words) <= width ? words : brief, metrics, width);
}

QString fitting_figure(const QString& figure, const QString& brief, const QFontMetrics& metrics, int width) {
  for (const QString& text : {figure, brief}) {
    if (!text.isEmpty() && metrics.horizontalAdvance(text) <= width) return text;
  }
  return QStringLiteral("##");
}

namespace {

constexpr int kLaidOut = 4096;  // some screens of cells
constexpr int kMargin = 7;      // as the headers keep

// Lets a text break after its commas, too.
QString breakable(QString words) {
  return words.replace(u',', QStringLiteral(",\u200B"));
}

}  // namespace

size_t qHash(const ToneDelegate::Line& line, size_t seed) {
  return qHashMulti(seed, line.text, line.brief, line.width, line.figure, line.strong);
}

ToneDelegate::ToneDelegate(QObject* parent, bool wraps) : QStyledItemDelegate(parent), wraps_(wraps), laid_out_(kLaidOut) {
  strong_font_.setWeight(QFont::DemiBold);
}

void ToneDelegate::use(const QFont& font) const {
  if (font == font_) return;
  laid_out_.clear();
  font_ = strong_font_ = font;
  strong_font_.setWeight(QFont::DemiBold);
}

const QStaticText& ToneDelegate::laid_out(const Line& line) const {
  if (const QStaticText* known = laid_out_.object(line)) return *known;
  const QFont& font = line.strong ? strong_font_ : font_;
  const QFontMetrics metrics(font);
  const QString shown = wraps_        ? breakable(line.text)
                        : line.figure ? fitting_figure(line.text, line.brief, metrics, line.width)
                                      : fitting_words(line.text, line.brief, metrics, line.width);
  auto* text = new QStaticText(shown);
  text->setTextFormat(Qt::PlainText);
  QTextOption lines;
  lines.setWrapMode(wraps_ ? QTextOption::WrapAtWordBoundaryOrAnywhere : QTextOption::NoWrap);
  text->setTextOption(lines);
  if (wraps_) text->setTextWidth(line.width);
  text->prepare({}, font);
  const bool kept = laid_out_.insert(line, text);
  FL_ASSERT(kept);  // each costs one of kLaidOut
  return *text;
}

ToneDelegate::Line ToneDelegate::line_of(const QModelIndex& index, int width) {
  Line line;
  line.text = index.data(Qt::DisplayRole).toString();
  line.width = width;
  line.strong = index.data(TableModelBase::kStrongRole).toBool();
  line.figure = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt()).testFlag(Qt::AlignRight);
  line.brief = index.data(TableModelBase::kBriefRole).toString();
  return line;
}

int ToneDelegate::height_of(const QModelIndex& index, const QFont& font, int width) const {
  use(font);
  return static_cast<int>(std::ceil(laid_out(line_of(index, width - 2 * kMargin)).size().height()));
}

void ToneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const QPalette::ColorGroup group = option.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
  if (selected) painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
  const QRect area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  const Line line = line_of(index, area.width());
  if (line.text.isEmpty()) return;
  use(option.font);
  const QStaticText& text = laid_out(line);
  const auto tone = static_cast<Tone>(index.data(TableModelBase::kToneRole).toInt());
  painter->setFont(line.strong ? strong_font_ : font_);
  painter->setPen(selected ? option.palette.color(group, QPalette::HighlightedText) : colors_for(option.widget).of(tone));
  const QSizeF size = text.size();
  const double left = line.figure ? area.left() + area.width() - size.width() : area.left();
  painter->drawStaticText(QPointF(left, area.top() + (area.height() - size.height()) / 2).toPoint(), text);
}

}  // namespace fuselab::gui
