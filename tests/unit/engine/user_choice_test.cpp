// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/user_choice.h"

#include <gmock/gmock.h>

#include <fstream>

#include "app/engine/compare/preferred_devices.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BackendReport report_of(const std::string& id, bool usable) {
  BackendReport report;
  report.id = id;
  report.availability = usable ? Availability::available() : Availability::unavailable("not here");
  if (!usable) return report;
  DeviceInfo device;
  device.id = id + ":0";
  device.backend = id;
  report.devices = {device};
  return report;
}

class UserChoice : public ::testing::Test {
 protected:
  void write(const char* name, const std::string& text) { std::ofstream(folder_.path() / name) << text; }
  std::string error_of(const std::string& text) {
    write("config.toml", text);
    const auto read = read_user_preferences(preferences_file(folder_.path()));
    return read.ok() ? "" : read.error().message;
  }
  Result<DeviceChoice> choice(DeviceChoice given = {}) {
    Config config;
    config.key_directory = folder_.path();
    return with_user_preferences(config, std::move(given),
                                 {report_of("cuda", false), report_of("cpu", true), report_of("opencl", true)});
  }

  platform::TemporaryFolder folder_ = platform::TemporaryFolder::create("fuselab-user-choice").value();
};

TEST_F(UserChoice, IsEmptyWithoutFiles) {
  EXPECT_TRUE(read_user_preferences(preferences_file(folder_.path())).value().prefer.empty());
  EXPECT_FALSE(read_stored_default(default_file(folder_.path())).value());
  EXPECT_TRUE(choice().value().prefer.empty());
  EXPECT_FALSE(clear_stored_default(default_file(folder_.path())).value());
}

TEST_F(UserChoice, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_EQ(error_of("prefer = ['opencl']\nfallback = []\n"), "");
  EXPECT_THAT(error_of("\nfavour = ['cuda']\n"), HasSubstr("config.toml:2: 'favour' is not known; there are prefer and fallback"));
  EXPECT_THAT(error_of("prefer = 'cuda'\n"), HasSubstr("config.toml:1: prefer is a list of names"));
  EXPECT_THAT(error_of("prefer = [1]\n"), HasSubstr("config.toml:1: prefer is a list of names"));
  EXPECT_THAT(error_of("prefer = [\n"), HasSubstr("config.toml:"));
}

TEST_F(UserChoice, StandsWhereACommandStatesNoPreference) {
  write("config.toml", "prefer = ['opencl', 'cpu']\n");
  EXPECT_THAT(choice().value().prefer, ElementsAre("opencl", "cpu"));
  EXPECT_THAT(choice({.prefer = {"cpu"}}).value().prefer, ElementsAre("cpu"));
  write("config.toml", "prefer = ['openkl']\n");
  const auto refused = choice();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("config.toml"));
  EXPECT_THAT(refused.error().message, HasSubstr("there is no device or backend 'openkl'; usable devices: cpu:0, opencl:0"));
}

TEST_F(UserChoice, KeepsTheDefaultWithItsEvidenceAndPrefersItFirst) {
  const StoredDefault chosen{"opencl", {}, "chosen for 3 of 5 measured pieces", "0.1.0", 1'700'000'000'000};
  ASSERT_TRUE(write_stored_default(default_file(folder_.path()), chosen).ok());
  const auto read = read_stored_default(default_file(folder_.path())).value();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->backend, "opencl");
  EXPECT_EQ(read->evidence, chosen.evidence);
  EXPECT_EQ(read->set_unix_ms, chosen.set_unix_ms);
  write("config.toml", "prefer = ['cpu']\n");
  EXPECT_THAT(choice().value().prefer, ElementsAre("opencl", "cpu"));
  EXPECT_TRUE(clear_stored_default(default_file(folder_.path())).value());
  EXPECT_THAT(choice().value().prefer, ElementsAre("cpu"));
}

TEST_F(UserChoice, TakesTheFirstUsableFallbackOfADefaultThatIsNot) {
  ASSERT_TRUE(write_stored_default(default_file(folder_.path()), {"cuda", {"opencl", "cpu"}, "", "", 0}).ok());
  EXPECT_THAT(choice().value().prefer, ElementsAre("opencl"));
  ASSERT_TRUE(write_stored_default(default_file(folder_.path()), {"cuda", {}, "", "", 0}).ok());
  EXPECT_TRUE(choice().value().prefer.empty());
  write("config.toml", "fallback = ['cpu']\n");
  EXPECT_THAT(choice().value().prefer, ElementsAre("cpu"));
}

TEST_F(UserChoice, SaysHowToBeRidOfADamagedDefault) {
  write("default.toml", "backend = [\n");
  const auto read = read_stored_default(default_file(folder_.path()));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr("`fuselab default clear` removes it"));
}

}  // namespace
}  // namespace fuselab::engine
