// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QStyleOption>
#include <QTemporaryDir>
#include <QWidget>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/link/settings.h"
#include "app/gui/look/theme.h"

namespace fuselab::gui::test {
namespace {

constexpr double kReadable = 4.5;  // WCAG 2 AA for text

TEST(Theme, EveryTextIsReadableOnEveryGround) {
  for (bool dark : {false, true}) {
    const ThemeColors& colors = colors_of(dark);
    for (const QColor& ground : {colors.window, colors.surface, colors.raised}) {
      for (const QColor& text : {colors.text, colors.muted, colors.good, colors.bad, colors.warning, colors.accent}) {
        EXPECT_GE(contrast_ratio(text, ground), kReadable)
            << (dark ? "dark " : "light ") << text.name().toStdString() << " on " << ground.name().toStdString();
      }
    }
    EXPECT_GE(contrast_ratio(colors.accent_text, colors.accent), kReadable);
  }
}

TEST(Theme, EverySeriesStandsOutFromThePlotsGround) {
  for (bool dark : {false, true}) {
    for (const QColor& series : colors_of(dark).series) {
      EXPECT_GE(contrast_ratio(series, colors_of(dark).surface), kReadable) << series.name().toStdString();
    }
  }
}

double distance(const QColor& a, const QColor& b) {
  return std::hypot(a.redF() - b.redF(), a.greenF() - b.greenF(), a.blueF() - b.blueF());
}

enum class Sight { kAll, kProtan, kDeutan };

// What people see, in CIELAB for daylight. Dichromats by the matrices of Viénot, Brettel and Mollon (1999), on linear light.
std::array<double, 3> seen(const QColor& color, Sight sight) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  double r = linear(color.redF()), g = linear(color.greenF()), b = linear(color.blueF());
  if (sight == Sight::kProtan) b += 0.00401 * (r - g), r = g = 0.11238 * r + 0.88762 * g;
  if (sight == Sight::kDeutan) b -= 0.02234 * (r - g), r = g = 0.29275 * r + 0.70725 * g;
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), y = root(0.2126 * r + 0.7152 * g + 0.0722 * b),
               z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// CIE76: 2.3 is just noticed.
double difference(const QColor& a, const QColor& b, Sight sight) {
  const auto one = seen(a, sight), other = seen(b, sight);
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

// The markers of series have shapes of their own, and beside "good" and "bad" stand signs: colour is never alone.
TEST(Theme, ColoursAreToldApartByPeopleWithColourVisionDeficiencies) {
  for (const bool dark : {false, true}) {
    const ThemeColors& colors = colors_of(dark);
    for (const Sight sight : {Sight::kAll, Sight::kProtan, Sight::kDeutan}) {
      EXPECT_GT(difference(colors.good, colors.bad, sight), 14);
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < i; ++k)
          EXPECT_GT(difference(colors.series[i], colors.series[k], sight), 15)
              << (dark ? "dark " : "light ") << k << " and " << i << " for " << static_cast<int>(sight);
      }
    }
  }
}

TEST(Theme, SwitchesAtRunTime) {
  apply_theme(*qApp, ThemeChoice::kDark);
  QWidget widget;
  widget.show();
  QApplication::processEvents();
  EXPECT_EQ(&colors_for(&widget), &colors_of(true));
  apply_theme(*qApp, ThemeChoice::kLight);
  QApplication::processEvents();
  EXPECT_EQ(&colors_for(&widget), &colors_of(false));
}

int pixels_of(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) count += distance(image.pixelColor(x, y), color) < 0.1 ? 1 : 0;
  }
  return count;
}

TEST(Theme, ATickedBoxHasATickAndPushesNothingAside) {
  for (ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    apply_theme(*qApp, theme);
    const ThemeColors& colors = colors_of(theme == ThemeChoice::kDark);
    QCheckBox box(QStringLiteral("Measure again"));
    box.resize(box.sizeHint());
    const auto part = [&box](QStyle::SubElement element) {
      QStyleOptionButton option;
      option.initFrom(&box);
      option.text = box.text();
      option.state.setFlag(QStyle::State_On, box.isChecked());
      return box.style()->subElementRect(element, &option, &box);
    };
    const QRect empty_box = part(QStyle::SE_CheckBoxIndicator), empty_text = part(QStyle::SE_CheckBoxContents);
    EXPECT_EQ(pixels_of(box.grab(empty_box).toImage(), colors.accent), 0);
    box.setChecked(true);
    EXPECT_EQ(part(QStyle::SE_CheckBoxIndicator), empty_box);
    EXPECT_EQ(part(QStyle::SE_CheckBoxContents), empty_text);
    const QImage ticked = box.grab(empty_box).toImage();
    EXPECT_GT(pixels_of(ticked, colors.accent), 60) << "the box is filled";
    EXPECT_GT(pixels_of(ticked, colors.accent_text), 4) << "and has a tick";
  }
  apply_theme(*qApp, ThemeChoice::kLight);
}

TEST(Theme, NamesAreParsedBack) {
  for (ThemeChoice choice : {ThemeChoice::kSystem, ThemeChoice::kDark, ThemeChoice::kLight})
    EXPECT_EQ(parse_theme(name_of(choice)), choice);
  EXPECT_FALSE(parse_theme("pink").has_value());
}

TEST(Settings, RemembersAcrossStartsAndIgnoresForeignLayouts) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("settings.ini");
  {
    Settings settings(file);
    settings.set_theme(ThemeChoice::kDark);
    settings.set_page("results");
    settings.set_layout("window", "state");
  }
  {
    const Settings settings(file);
    EXPECT_EQ(settings.theme(), ThemeChoice::kDark);
    EXPECT_EQ(settings.page(), "results");
    EXPECT_EQ(settings.layout("window"), "state");
  }
  {
    QSettings store(file, QSettings::IniFormat);
    store.setValue("version", Settings::kVersion + 1);
  }
  const Settings newer(file);
  EXPECT_TRUE(newer.layout("window").isEmpty());
  EXPECT_EQ(newer.theme(), ThemeChoice::kDark) << "only layouts depend on the version";
}

}  // namespace
}  // namespace fuselab::gui::test
