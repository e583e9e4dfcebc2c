// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {

// A window on the real engine, whose database, keys and models lie in a folder of the test.
class RealWindowTest : public WindowTest {
 protected:
  engine::Config config() const {
    const std::filesystem::path folder = folder_.path().toStdString();
    engine::Config config;
    config.database = folder / "results.db";
    config.model_directory = folder / "models";
    config.cache_directory = folder / "cache";
    config.key_directory = folder / "keys";
    config.worker_program = FUSELAB_WORKER;
    return config;
  }
  void open() {
    MainWindow::Options options;
    options.subjects = {"w3"};
    window_ = std::make_unique<MainWindow>([config = config()] { return engine::Engine::open(config); }, settings_, options);
    window_->show_page(PageId::kDevices);
    window_->show();
    ASSERT_TRUE(settle());
  }
};

}  // namespace fuselab::gui::test
