// SPDX-License-Identifier: Apache-2.0
// What leaving a faster library behind costs, and where an export refuses to: kernels really measured, and beside them a stored
// result of a library that is not here any more.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>

#include "app/deploy/export_preview.h"
#include "app/deploy/export_subject.h"
#include "core/base/version.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/uuid.h"
#include "db/database.h"
#include "tests/faults/support/engine_fixture.h"
#include "tests/support/environment_variables.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSubject = "graph(x: f32[32,64], p: param f32[64]) { s = Add(x, p); y = Relu(s); return y }";

class ExportLoss : public EngineTest {
 protected:
  void SetUp() override {
    // A library that is there would be asked which plan it makes today, and these are none of its own.
    variables_.set("FUSELAB_LIB_ONEDNN", "/nonexistent/libdnnl.so.3");
    EngineTest::SetUp();
    measure();
    store_library(0.5);
  }

  void measure() {
    engine::JobSpec job;
    job.verb = engine::JobSpec::Verb::kBench;
    job.subjects = {kSubject};
    job.devices.only = {"cpu:0"};
    job.decide_gains = false;
    // Beside other load a figure may beat the ceiling that was measured meanwhile: it is stored, mistrusted and not shown.
    constexpr int kAttempts = 5;
    std::string trial_id;
    for (int attempt = 0; attempt < kAttempts && trial_id.empty(); ++attempt) {
      job.remeasure = attempt > 0;
      auto started = engine_->start(job);
      ASSERT_TRUE(started.ok()) << started.error().message;
      ASSERT_TRUE(started.value()->wait_for(std::chrono::minutes(2)));
      ASSERT_TRUE(started.value()->result().ok()) << started.value()->result().error().message;
      const auto tables = started.value()->tables();
      ASSERT_EQ(tables.size(), 1U);
      const auto& figure = tables[0].rows.at(0).cells.at(0).fused.figure;
      if (figure) trial_id = figure->trial_id;
    }
    const auto trial = engine_->queries().trial(trial_id);
    ASSERT_TRUE(trial.ok() && trial.value());
    own_ = *trial.value();
  }

  // Stores that oneDNN ran the piece in this share of the kernel's time, here and under the same conditions.
  void store_library(double share) {
    const auto backends = engine_->devices(false);
    ASSERT_TRUE(backends.ok());
    StoreBatch batch;
    for (const BackendReport& report : backends.value()) {
      for (const DeviceInfo& device : report.devices) {
        if (device.id == "cpu:0") batch.devices.push_back(device);
      }
    }
    ASSERT_EQ(batch.devices.size(), 1U);
    DeviceInfo& library = batch.devices.front();
    library.id = "onednn:0";
    library.backend = "onednn";
    library.uuid = "a library's";  // an environment of its own: no ceiling is stored that half of the time could be beyond
    ASSERT_TRUE(library.is_host_cpu_again());
    batch.environments = {platform::environment_identity(platform::machine_facts(), library, std::string(tool_version()))};
    TrialRecord trial = own_;
    trial.id = trial.block_id = platform::make_uuid();
    trial.device_id = library.id;
    trial.backend = library.backend;
    trial.environment_key = batch.environments.front().key().hex();
    for (double& sample : trial.result.samples) sample *= share;
    trial.conditions.reset();
    batch.trials = {trial};
    const engine::Config config = config_in(folder_);
    const auto database =
        db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory));
    ASSERT_TRUE(database.ok()) << database.error().message;
    const Status stored = database.value()->store().commit(batch);
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  }

  deploy::ExportSpec spec(double most_loss_percent) const {
    deploy::ExportSpec spec;
    spec.subjects = {kSubject};
    spec.allow_unconfirmed = true;  // how well a figure is confirmed is the machine's to say
    spec.most_loss_percent = most_loss_percent;
    spec.file = folder_ / "model.fuselab";
    return spec;
  }

  // Runs the program; returns its exit code and what it said.
  std::pair<int, std::string> export_by_program(const std::string& most_loss) {
    const auto word = [](const std::string& text) { return "'" + text + "'"; };
    const std::string line = word(FUSELAB_PROGRAM) + " --db " + word((folder_ / "results.db").string()) + " export " +
                             word(kSubject) + " --allow-unconfirmed --max-loss " + most_loss + " --to " +
                             word((folder_ / "by-program.fuselab").string()) + " 2>&1";
    std::FILE* const output = ::popen(line.c_str(), "r");
    std::string said;
    for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) said += static_cast<char>(c);
    const int status = ::pclose(output);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
  }

  test::Variables variables_;
  TrialRecord own_;
};

TEST_F(ExportLoss, AboveTheLimitIsRefusedNamingTheLibrary) {
  const auto refused = deploy::export_subjects(*engine_, spec(99), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("100.0 % slower without what cannot be exported, more than --max-loss 99; "));
  EXPECT_THAT(refused.error().message, HasSubstr("onednn:0 fused is 2.00x as fast, and stays behind"));
  EXPECT_FALSE(std::filesystem::exists(spec(99).file));
  const auto preview = deploy::preview_export(*engine_, spec(99));
  ASSERT_TRUE(preview.ok()) << preview.error().message;
  EXPECT_EQ(preview.value().at(0).refused, refused.error().message);
}

TEST_F(ExportLoss, BelowTheLimitGoesOutAndIsTold) {
  const auto done = deploy::export_subjects(*engine_, spec(101), {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_NEAR(done.value().losses.at(0).percent(), 100, 1e-6);
  const deploy::BundlePiece& piece = done.value().manifest.pieces.at(0);
  ASSERT_TRUE(piece.figure && piece.runner_up);
  EXPECT_DOUBLE_EQ(piece.figure->median_ns, own_.median_ns);
  EXPECT_EQ(piece.runner_up->plan, "onednn:0 fused");
  EXPECT_NEAR(piece.runner_up->ratio, 0.5, 1e-9);
  ASSERT_EQ(done.value().manifest.measured.size(), 1U) << "the figure says how it was measured";
  ASSERT_EQ(piece.figure->measured, 0);
  const deploy::BundleMeasuring& measured = done.value().manifest.measured[0];
  EXPECT_EQ(measured.clock_policy, platform::machine_facts().clock_policy);
  EXPECT_EQ(measured.cache_mode, "warm");
  EXPECT_EQ(measured.tool_version, tool_version());
}

TEST_F(ExportLoss, IsAnExitCodeOfTheProgram) {
  for (const char* const home : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
    variables_.set(home, folder_.string());
  engine_.reset();
  const auto [code, said] = export_by_program("10");
  EXPECT_EQ(code, 6) << said;
  EXPECT_THAT(said, HasSubstr("100.0 % slower without what cannot be exported, more than --max-loss 10"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "by-program.fuselab"));
  const auto [allowed, told] = export_by_program("101");
  EXPECT_EQ(allowed, 0) << told;
  EXPECT_THAT(told, HasSubstr("together: 100.0 % of the measured pieces' time"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "by-program.fuselab"));
}

}  // namespace
}  // namespace fuselab
