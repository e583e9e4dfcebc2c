// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <array>
#include <optional>

class QApplication;
class QWidget;

namespace fuselab::gui {

enum class ThemeChoice { kSystem, kDark, kLight };
QString name_of(ThemeChoice choice);  // "system", "dark", "light"
std::optional<ThemeChoice> parse_theme(const QString& name);

// The meaning of a figure. Never shown by colour alone: every place that paints a tone also says it in words or with a sign.
enum class Tone { kNeutral, kMuted, kGood, kBad, kWarning, kAccent };

// Every colour the program paints with. The two instances are the only place where colours are written down. The `series` colours
// differ in lightness too, so that people with common colour vision deficiencies can tell them apart.
struct ThemeColors {
  QColor window, surface, raised, text, muted, border, grid, accent, accent_text, good, bad, warning;
  std::array<QColor, 8> series;

  const QColor& of(Tone tone) const;
  const QColor& series_color(int index) const { return series[static_cast<std::size_t>(index) % series.size()]; }
};

const ThemeColors& colors_of(bool dark);
QPalette palette_of(const ThemeColors& colors);
// Returns the colours that a widget is shown in now. Follows the widget's palette, so no widget stores a theme of its own.
const ThemeColors& colors_for(const QWidget* widget);

// Sets style, palette and style sheet of the whole program; may be called again at any time.
void apply_theme(QApplication& application, ThemeChoice choice);

// WCAG 2 contrast ratio, 1 … 21.
double contrast_ratio(const QColor& a, const QColor& b);

}  // namespace fuselab::gui
