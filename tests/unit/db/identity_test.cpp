// SPDX-License-Identifier: Apache-2.0
// Key proof: a row is served for exactly its kernel, metric and environment, and for nothing that differs in one component.
#include <functional>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class StaleRows : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    database_ = open();
    ASSERT_TRUE(database_);
    StoreBatch batch = testing::synthetic_basis({});
    kernel_ = testing::synthetic_kernel(1).identity;
    kernel_.library = "libx";
    kernel_.library_version = "1";
    metric_ = batch.metrics[0];
    environment_ = batch.environments[0];
    TrialRecord trial = testing::synthetic_trial({}, 0);
    trial.plan_key = plan_key(kernel_);
    trial.metric_key = metric_.key().hex();
    trial.environment_key = environment_.key().hex();
    batch.trials = {trial};
    ASSERT_TRUE(succeeded(database_->store().commit(batch)));
  }

  // The very function that the session looks trials up with.
  static std::string plan_key(const KernelIdentity& kernel) { return plan_key_of({kernel.key().hex()}); }

  std::size_t served(const KernelIdentity& kernel, const MetricIdentity& metric, const EnvironmentIdentity& environment) {
    const auto found = database_->queries().find_valid(plan_key(kernel), metric.key().hex(), environment.key().hex());
    EXPECT_TRUE(succeeded(found));
    return found.value().size();
  }

  std::unique_ptr<Database> database_;
  KernelIdentity kernel_;
  MetricIdentity metric_;
  EnvironmentIdentity environment_;
};

TEST_F(StaleRows, TheSameThreeIdentitiesAreServed) {
  EXPECT_EQ(served(kernel_, metric_, environment_), 1u);
}

TEST_F(StaleRows, NoRowIsServedWhenAComponentOfTheKernelChanges) {
  const std::vector<std::function<void(KernelIdentity&)>> changes = {
      [](auto& k) { k.graph = ContentHash::of("another graph"); },
      [](auto& k) { k.backend += "x"; },
      [](auto& k) { k.generator += "x"; },
      [](auto& k) { k.generator_version += "x"; },
      [](auto& k) { k.source = ContentHash::of("edited"); },
      [](auto& k) { k.target += "x"; },
      [](auto& k) { k.compiler += "x"; },
      [](auto& k) { k.compiler_version += "x"; },
      [](auto& k) { k.flags += " -g"; },
      [](auto& k) { k.library += "x"; },
      [](auto& k) { k.library_version += "x"; },
      [](auto& k) { k.config += ",tile=2"; },
      // What moves from one component to the next is another identity, too.
      [](auto& k) { k.compiler = "gcc12", k.compiler_version = ".2.0"; },
  };
  for (std::size_t change = 0; change < changes.size(); ++change) {
    KernelIdentity kernel = kernel_;
    changes[change](kernel);
    EXPECT_EQ(served(kernel, metric_, environment_), 0u) << "change " << change;
  }
}

TEST_F(StaleRows, NoRowIsServedWhenAComponentOfTheMetricChanges) {
  const std::vector<std::function<void(MetricIdentity&)>> changes = {
      [](auto& m) { m.mode = CacheMode::kCold; },
      [](auto& m) { m.what += "x"; },
      [](auto& m) { m.threads = 7; },
      [](auto& m) { m.inputs.pattern = InputPattern::kLarge; },
      [](auto& m) { m.inputs.seed ^= std::uint64_t{1} << 63; },
      [](auto& m) { m.protocol_version += 1; },
      [](auto& m) { m.detail += "x"; },
  };
  for (std::size_t change = 0; change < changes.size(); ++change) {
    MetricIdentity metric = metric_;
    changes[change](metric);
    EXPECT_EQ(served(kernel_, metric, environment_), 0u) << "change " << change;
  }
}

TEST_F(StaleRows, NoRowIsServedWhenAComponentOfTheEnvironmentChanges) {
  const std::vector<std::function<void(EnvironmentIdentity&)>> changes = {
      [](auto& e) { e.host += "x"; },       [](auto& e) { e.device_uuid += "x"; },  [](auto& e) { e.driver += "x"; },
      [](auto& e) { e.cpu_model += "x"; },  [](auto& e) { e.microcode += "x"; },    [](auto& e) { e.os_kernel += "x"; },
      [](auto& e) { e.clock_policy = ""; }, [](auto& e) { e.tool_version += "x"; },
  };
  for (std::size_t change = 0; change < changes.size(); ++change) {
    EnvironmentIdentity environment = environment_;
    changes[change](environment);
    EXPECT_EQ(served(kernel_, metric_, environment), 0u) << "change " << change;
  }
}

TEST_F(StaleRows, AnEmptyPlanKeyMatchesNothing) {
  StoreBatch batch;
  batch.trials = {testing::synthetic_trial({}, 1)};
  batch.trials[0].plan_key.clear();
  batch.trials[0].metric_key = metric_.key().hex();
  batch.trials[0].environment_key = environment_.key().hex();
  ASSERT_TRUE(succeeded(database_->store().commit(batch)));
  const auto found = database_->queries().find_valid("", metric_.key().hex(), environment_.key().hex());
  ASSERT_TRUE(succeeded(found));
  EXPECT_TRUE(found.value().empty());
}

}  // namespace
}  // namespace fuselab::db
