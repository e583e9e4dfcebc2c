// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/theme.h"

#include <QApplication>
#include <QGuiApplication>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace fuselab::gui {
namespace {

// Series: blue, vermilion, green, purple, amber, sky, red, grey (after Okabe and Ito, moved in lightness until each has a
// contrast of at least 4.5 on surface and window).
ThemeColors make_light() {
  ThemeColors colors;
  colors.window = QColor(0xf4f6f9);
  colors.surface = QColor(0xffffff);
  colors.raised = QColor(0xeef1f5);
  colors.text = QColor(0x1b1f27);
  colors.muted = QColor(0x5b6472);
  colors.border = QColor(0xd3d9e2);
  colors.grid = QColor(0xe3e7ed);
  colors.accent = QColor(0x0b62c4);
  colors.accent_text = QColor(0xffffff);
  colors.good = QColor(0x00734f);
  colors.bad = QColor(0xa3153a);
  colors.warning = QColor(0x7d5700);
  colors.series = {QColor(0x0063a6), QColor(0xb84200), QColor(0x00734f), QColor(0x7b2d6e),
                   QColor(0x4d3a00), QColor(0x1a7390), QColor(0xa3153a), QColor(0x5a6270)};
  return colors;
}

ThemeColors make_dark() {
  ThemeColors colors;
  colors.window = QColor(0x15171c);
  colors.surface = QColor(0x1b1e24);
  colors.raised = QColor(0x22262e);
  colors.text = QColor(0xe7eaf0);
  colors.muted = QColor(0xa0a9b8);
  colors.border = QColor(0x353b46);
  colors.grid = QColor(0x2b3039);
  colors.accent = QColor(0x5aa2ff);
  colors.accent_text = QColor(0x0b1220);
  colors.good = QColor(0x3ecf9b);
  colors.bad = QColor(0xff5c7c);
  colors.warning = QColor(0xe6b422);
  colors.series = {QColor(0x5aa9e6), QColor(0xff8a5c), QColor(0x3ecf9b), QColor(0xe9b3dc),
                   QColor(0xe6b422), QColor(0x7fd4e8), QColor(0xff5c7c), QColor(0xa3acba)};
  return colors;
}

// Read once, before the first palette of ours is set. Qt 6.4 has no other way to ask the desktop.
bool system_prefers_dark() {
  static const bool dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
  return dark;
}

constexpr int kBox = 14;  // of a check box, ticked or not

const ThemeColors& colors_on(const QPalette& palette) {
  return colors_of(palette.color(QPalette::Window).lightness() < 128);
}

void draw_tick(QPainter& painter, const QRectF& box, const QColor& color) {
  QPen pen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  painter.setPen(pen);
  const auto at = [&box](double x, double y) { return QPointF(box.left() + x * box.width(), box.top() + y * box.height()); };
  painter.drawPolyline(QPolygonF({at(0.22, 0.53), at(0.42, 0.73), at(0.78, 0.29)}));
}

// Fusion's own box is hard to see on a dark ground.
void draw_check_box(QPainter& painter, const QStyleOption& option) {
  const ThemeColors& colors = colors_on(option.palette);
  const bool enabled = option.state.testFlag(QStyle::State_Enabled), on = option.state.testFlag(QStyle::State_On);
  const bool some = option.state.testFlag(QStyle::State_NoChange);
  const QColor& ink = enabled ? colors.accent : colors.muted;
  const QRectF box = QRectF(option.rect.center().x() - kBox / 2 + 1, option.rect.center().y() - kBox / 2 + 1, kBox, kBox)
                         .adjusted(0.5, 0.5, -0.5, -0.5);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(on || some || option.state.testFlag(QStyle::State_HasFocus) ? ink : colors.muted);
  painter.setBrush(on ? ink : colors.surface);
  painter.drawRoundedRect(box, 3, 3);
  if (on) draw_tick(painter, box, enabled ? colors.accent_text : colors.surface);
  if (some) painter.fillRect(box.adjusted(3, 3, -3, -3), ink);
  painter.restore();
}

// Fusion with room around the text in tables, as the headers have it, with check boxes that are seen on every ground, and with
// combo boxes that say when their text is cut.
class RoomyStyle : public QProxyStyle {
 public:
  RoomyStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    constexpr int kCellMargin = 6;
    switch (metric) {
      case PM_FocusFrameHMargin: return kCellMargin;
      case PM_IndicatorWidth:
      case PM_IndicatorHeight: return kBox;
      default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
  }

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck)
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
    draw_check_box(*painter, *option);
  }

  // Cuts the text in the middle, since two of the texts often differ only at the end.
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override {
    const auto* box = element == CE_ComboBoxLabel ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
    if (box == nullptr) return QProxyStyle::drawControl(element, option, painter, widget);
    QStyleOptionComboBox shown(*box);
    constexpr int kMargins = 4;
    const int room = proxy()->subControlRect(CC_ComboBox, &shown, SC_ComboBoxEditField, widget).width() - kMargins;
    shown.currentText = shown.fontMetrics.elidedText(shown.currentText, Qt::ElideMiddle, room);
    QProxyStyle::drawControl(element, &shown, painter, widget);
  }
};

double channel(double value) {
  return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

// Only what Fusion cannot say with a palette: flat headers, the navigation list, cards.
QString style_sheet(const ThemeColors& colors) {
  QString sheet = QStringLiteral(R"(
    QToolTip { color: @text; background: @raised; border: 1px solid @border; padding: 4px; }
    #navigation { background: @raised; border: none; outline: none; padding: 6px; }
    #navigation::item { color: @text; padding: 9px 10px; margin: 2px 0; border-radius: 6px; }
    #navigation::item:selected { background: @accent; color: @accent_text; }
    #navigation::item:hover:!selected { background: @border; }
    QFrame[card="true"] { background: @surface; border: 1px solid @border; border-radius: 8px; }
    QLabel[role="title"] { font-size: 15pt; font-weight: 600; }
    QLabel[role="subtitle"], QLabel[role="hint"] { color: @muted; }
    QLabel[role="section"] { font-weight: 600; }
    QLabel[role="headline"] { font-size: 17pt; font-weight: 600; }
    QAbstractItemView { background: @surface; alternate-background-color: @window; border: 1px solid @border;
                        gridline-color: @grid; selection-background-color: @accent; selection-color: @accent_text; }
    QHeaderView { background: @raised; border: none; }
    QHeaderView::section { background: @raised; color: @text; border: none; border-right: 1px solid @border;
                           border-bottom: 1px solid @border; padding: 5px 8px; font-weight: 600; }
    QTableCornerButton::section { background: @raised; border: none; }
    QPushButton[primary="true"] { background: @accent; color: @accent_text; border: 1px solid @accent; border-radius: 4px;
                                  padding: 5px 14px; font-weight: 600; }
    QPushButton[primary="true"]:focus { border: 2px solid @text; }
    QPushButton[primary="true"]:disabled { background: @border; color: @muted; border-color: @border; }
    QLineEdit { border: 1px solid @border; border-radius: 4px; padding: 3px 5px; background: @surface; }
    QLineEdit:focus { border-color: @accent; }
    QLineEdit[refused="true"] { border: 1px solid @bad; border-bottom: 3px solid @bad; }
    QComboBox QLineEdit[refused="true"] { border: none; border-bottom: 3px solid @bad; }
    QChartView { border: 1px solid @surface; }
    QChartView:focus { border-color: @accent; }
    QSplitter::handle { background: @window; }
    QStatusBar { background: @raised; border-top: 1px solid @border; }
    QStatusBar::item { border: none; }
    QToolButton::menu-indicator { image: none; }
    QToolBar { background: @window; border: none; spacing: 6px; padding: 4px 8px; }
    QTabWidget::pane { border: 1px solid @border; border-radius: 4px; top: -1px; }
  )");
  // Longer names first: "@accent_text" holds "@accent".
  const std::pair<const char*, QColor> names[] = {{"@accent_text", colors.accent_text},
                                                  {"@accent", colors.accent},
                                                  {"@surface", colors.surface},
                                                  {"@window", colors.window},
                                                  {"@raised", colors.raised},
                                                  {"@border", colors.border},
                                                  {"@muted", colors.muted},
                                                  {"@bad", colors.bad},
                                                  {"@grid", colors.grid},
                                                  {"@text", colors.text}};
  for (const auto& [name, color] : names) sheet.replace(QLatin1String(name), color.name());
  return sheet;
}

}  // namespace

QString name_of(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::kDark: return QStringLiteral("dark");
    case ThemeChoice::kLight: return QStringLiteral("light");
    case ThemeChoice::kSystem: break;
  }
  return QStringLiteral("system");
}

std::optional<ThemeChoice> parse_theme(const QString& name) {
  for (ThemeChoice choice : {ThemeChoice::kSystem, ThemeChoice::kDark, ThemeChoice::kLight}) {
    if (name_of(choice) == name) return choice;
  }
  return std::nullopt;
}

const QColor& ThemeColors::of(Tone tone) const {
  switch (tone) {
    case Tone::kMuted: return muted;
    case Tone::kGood: return good;
    case Tone::kBad: return bad;
    case Tone::kWarning: return warning;
    case Tone::kAccent: return accent;
    case Tone::kNeutral: break;
  }
  return text;
}

const ThemeColors& colors_of(bool dark) {
  static const ThemeColors light_colors = make_light();
  static const ThemeColors dark_colors = make_dark();
  return dark ? dark_colors : light_colors;
}

QPalette palette_of(const ThemeColors& colors) {
  QPalette palette(colors.raised, colors.window);
  palette.setColor(QPalette::Window, colors.window);
  palette.setColor(QPalette::WindowText, colors.text);
  palette.setColor(QPalette::Base, colors.surface);
  palette.setColor(QPalette::AlternateBase, colors.window);
  palette.setColor(QPalette::Text, colors.text);
  palette.setColor(QPalette::Button, colors.raised);
  palette.setColor(QPalette::ButtonText, colors.text);
  palette.setColor(QPalette::BrightText, colors.bad);
  palette.setColor(QPalette::ToolTipBase, colors.raised);
  palette.setColor(QPalette::ToolTipText, colors.text);
  palette.setColor(QPalette::PlaceholderText, colors.muted);
  palette.setColor(QPalette::Highlight, colors.accent);
  palette.setColor(QPalette::HighlightedText, colors.accent_text);
  palette.setColor(QPalette::Link, colors.accent);
  palette.setColor(QPalette::LinkVisited, colors.series[3]);
  palette.setColor(QPalette::Mid, colors.border);
  palette.setColor(QPalette::Dark, colors.border);
  for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, colors.muted);
  }
  return palette;
}

const ThemeColors& colors_for(const QWidget* widget) {
  return colors_on(widget->palette());
}

void apply_theme(QApplication& application, ThemeChoice choice) {
  const bool system_dark = system_prefers_dark();
  const ThemeColors& colors = colors_of(choice == ThemeChoice::kDark || (choice == ThemeChoice::kSystem && system_dark));
  QApplication::setStyle(new RoomyStyle);
  QApplication::setPalette(palette_of(colors));
  QToolTip::setPalette(palette_of(colors));
  application.setStyleSheet(style_sheet(colors));
}

double contrast_ratio(const QColor& a, const QColor& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace fuselab::gui
