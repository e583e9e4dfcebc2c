// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/engine/workers/worker_pool.h"
#include "core/platform/machine/machine.h"
#include "db/database.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {

// What a job works with, without one: a database, real workers, and the first null device, which the database knows.
class JobTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const engine::Config config = config_in(folder_);
    auto opened = db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    database_ = std::move(opened).value();
    engine::WorkerPoolOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    workers_ = std::make_unique<engine::WorkerPool>(options);
    const auto found = workers_->probe("null");
    ASSERT_TRUE(found.ok()) << found.error().message;
    device_ = found.value().devices.at(0);
    environment_ = platform::environment_identity(platform::machine_facts(), device_, "test");
    StoreBatch batch;
    batch.devices.push_back(device_);
    batch.environments.push_back(environment_);
    ASSERT_TRUE(database_->store().commit(batch).ok());
  }
  void TearDown() override {
    workers_.reset();
    database_.reset();
    FolderTest::TearDown();
  }

  std::unique_ptr<db::Database> database_;
  std::unique_ptr<engine::WorkerPool> workers_;
  DeviceInfo device_;
  EnvironmentIdentity environment_;
};

}  // namespace fuselab
