// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/gui/shell/main_window.h"
#include "tests/gui/support/fake_engine.h"

namespace fuselab::gui::test {

// A window on a fake session with settings of its own.
class WindowTest : public ::testing::Test {
 protected:
  void open(MainWindow::Options options = {}) {
    if (options.subjects.empty()) options.subjects = {"resnet50", "missing.onnx"};
    window_ = std::make_unique<MainWindow>(fake_factory(script_), settings_, options);
    window_->show_page(PageId::kCompare);
    window_->show();
    ASSERT_TRUE(settle());
  }
  bool settle() {
    // Settled means: nothing runs in the background, and the events that its answers caused were handled.
    const bool calm = QTest::qWaitFor([this] { return window_->is_settled(); }, 60'000);
    QApplication::processEvents();
    return calm && QTest::qWaitFor([this] { return window_->is_settled(); }, 60'000);
  }
  template <typename Widget>
  Widget* find(const char* name) {
    auto* widget = window_->findChild<Widget*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  static void click(QAbstractButton* button) { QTest::mouseClick(button, Qt::LeftButton); }

  std::shared_ptr<EngineScript> script_ = std::make_shared<EngineScript>();
  QTemporaryDir folder_;
  Settings settings_{folder_.filePath(QStringLiteral("settings.ini"))};
  std::unique_ptr<MainWindow> window_;
};

}  // namespace fuselab::gui::test
