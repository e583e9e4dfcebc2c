// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QStyleOption>
#include <QTemporaryDir>
#include <QWidget>
#include <algorithm>
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

// Simulated with the matrices of Viénot, Brettel and Mollon (1999): what protanopes and deuteranopes see.
QColor as_dichromat_sees(const QColor& color, bool protan) {
  const double r = color.redF(), g = color.greenF(), b = color.blueF();
  const double red = protan ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
  const double blue = protan ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b;
  return QColor::fromRgbF(static_cast<float>(std::clamp(red, 0.0, 1.0)), static_cast<float>(std::clamp(red, 0.0, 1.0)),
                          static_cast<float>(std::clamp(blue, 0.0, 1.0)));
}

double distance(const QColor& a, const QColor& b) {
  return std::hypot(a.redF() - b.redF(), a.greenF() - b.greenF(), a.blueF() - b.blueF());
}

TEST(Theme, FusedAndUnfusedAreToldApartByPeopleWithColourVisionDeficiencies) {
  for (bool dark : {false, true}) {
    const ThemeColors& colors = colors_of(dark);
    for (bool protan : {false, true}) {
      EXPECT_GT(distance(as_dichromat_sees(colors.series[0], protan), as_dichromat_sees(colors.series[1], protan)), 0.25);
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
