// SPDX-License-Identifier: Apache-2.0
#include "app/engine/recording.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/engine/compare/recorded_devices.h"
#include "app/engine/subject/measured_question.h"
#include "core/platform/files/temporary_folder.h"
#include "db/database.h"

namespace fuselab::engine {
namespace {

using ::testing::HasSubstr;

constexpr const char* kT4 = R"({"schema_version": "1.0.0", "results": [
  {"configuration": {"block": 32}, "invalidity": "correct", "times": {"compilation": 5, "runtimes": [1.0, 1.1, 0.9, 1.0, 1.05, 0.95]}},
  {"configuration": {"block": 64}, "invalidity": "correct", "times": {"compilation": 5, "runtimes": [2.0, 2.1, 1.9, 2.0, 2.0, 2.0]}},
  {"configuration": {"block": 99}, "invalidity": "compile", "times": {"compilation": 1}}]})";

class Recording : public ::testing::Test {
 protected:
  Recording() {
    config_.database = folder_.path() / "fuselab.db";
    config_.key_directory = folder_.path() / "keys";
  }
  Result<ImportedRecording> import(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return import_recording(config_, folder_.path() / name, "", "");
  }
  std::vector<TrialRow> rows() {
    auto database = db::Database::open(config_.database, db::Access::kRead, std::make_shared<db::Trust>(config_.key_directory));
    EXPECT_TRUE(database.ok()) << database.error().message;
    return database.value()->queries().page({}, TrialOrder::kFastestFirst, 0, 100).value();
  }

  platform::TemporaryFolder folder_ = platform::TemporaryFolder::create("fuselab-recording-test").value();
  Config config_;
};

TEST_F(Recording, IsARunOnADeviceOfItsOwn) {
  const auto imported = import("convolution_A100.T4.json", kT4);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported.value().kernel, "convolution");
  EXPECT_EQ(imported.value().device_id, "recorded:A100");
  EXPECT_EQ(imported.value().trials, 3);
  EXPECT_EQ(imported.value().timed, 2);
  const std::vector<TrialRow> stored = rows();
  ASSERT_EQ(stored.size(), 3u);
  EXPECT_EQ(stored[0].config, "block=32");
  EXPECT_NEAR(stored[0].median_ns, 1e6, 1e4);
  EXPECT_EQ(stored[0].run_id, imported.value().run_id);
  EXPECT_EQ(stored[2].outcome, "compile-error");
}

TEST_F(Recording, OfTwoDevicesIsOnePiece) {
  ASSERT_TRUE(import("convolution_A100.T4.json", kT4).ok());
  ASSERT_TRUE(import("convolution_MI250X.T4.json", kT4).ok());
  const std::vector<TrialRow> stored = rows();
  ASSERT_EQ(stored.size(), 6u);
  EXPECT_EQ(stored[0].piece_key, stored[3].piece_key);
  EXPECT_NE(stored[0].device_id, stored[1].device_id);
}

TEST_F(Recording, IsComparedOnItsDevicesAlone) {
  ASSERT_TRUE(import("convolution_A100.T4.json", kT4).ok());
  ASSERT_TRUE(import("convolution_MI250X.T4.json", kT4).ok());
  auto database =
      db::Database::open(config_.database, db::Access::kRead, std::make_shared<db::Trust>(config_.key_directory)).value();
  const Catalog catalog = database->queries().catalog().value();
  EXPECT_TRUE(names_recording(catalog, "convolution"));
  EXPECT_FALSE(names_recording(catalog, "w5"));
  DeviceChoice all, one, other;
  one.only = {"recorded:A100"};
  other.only = {"cpu"};
  bool only_recorded = true;
  const auto recorded = take_recorded_devices(catalog, all, only_recorded);
  ASSERT_EQ(recorded.size(), 2u);
  EXPECT_FALSE(only_recorded);
  EXPECT_EQ(take_recorded_devices(catalog, other, only_recorded).size(), 0u);
  EXPECT_FALSE(only_recorded);
  EXPECT_EQ(take_recorded_devices(catalog, one, only_recorded).size(), 1u);
  EXPECT_TRUE(only_recorded);
  EXPECT_TRUE(one.only.empty()) << "no device here has the name";
  for (const ComparedDevice& device : recorded) {
    EXPECT_TRUE(std::ranges::any_of(catalog.environments, [&](const auto& each) { return each.first == device.environment_key; }));
  }
  const auto measured = measured_questions(catalog, "this host");
  ASSERT_EQ(measured.size(), 1u);
  FusedModel model = stored_fused_model(catalog, measured.front()).value();
  EXPECT_TRUE(is_recording(model));
  EXPECT_EQ(devices_of_recording(model, recorded, database->queries()).value().size(), 2u);
  model.pieces.front().key = "of a kernel that nobody recorded";
  EXPECT_EQ(devices_of_recording(model, recorded, database->queries()).value().size(), 0u);
  EXPECT_EQ(import("w3_A100.T4.json", kT4).value().kernel, "w3-recorded") << "w3 is what is measured here";
}

TEST_F(Recording, LeavesASoundDatabase) {
  ASSERT_TRUE(import("convolution_A100.T4.json", kT4).ok());
  auto database =
      db::Database::open(config_.database, db::Access::kRead, std::make_shared<db::Trust>(config_.key_directory)).value();
  EXPECT_THAT(database->verify().value().problems, ::testing::IsEmpty());
}

TEST_F(Recording, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(import("a.json", "{").error().message, HasSubstr("a.json: file: not JSON"));
  EXPECT_THAT(import("a.json", R"({"results": []})").error().message, HasSubstr("results: there is none"));
  EXPECT_THAT(import("a.json", R"({"results": [{"configuration": {"b": 1}}]})").error().message, HasSubstr("results[0]"));
  EXPECT_FALSE(std::filesystem::exists(config_.database));
}

}  // namespace
}  // namespace fuselab::engine
