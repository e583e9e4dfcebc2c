// SPDX-License-Identifier: Apache-2.0
// Annotations and SARIF point at a line only where GitHub finds the file: below the root of the repository.
#include "app/cli/output/github_places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/gate/source/repository.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::cli {
namespace {

namespace fs = std::filesystem;

class GithubPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = platform::TemporaryFolder::create("fuselab-places");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(std::move(folder).value());
    fs::create_directories(folder_->path() / "bench" / "gate");
    std::ofstream(folder_->path() / "bench" / "gate" / "fuselab.toml") << "[[case]]\n";
    ::unsetenv("GITHUB_WORKSPACE");
  }
  void TearDown() override { ::unsetenv("GITHUB_WORKSPACE"); }

  std::string in(const char* name) const { return (folder_->path() / name).string(); }
  static std::string place_of(const std::string& file) {
    CheckReport report;
    report.cases.emplace_back().where = {file, 7};
    report.cases.push_back(report.cases.front());
    const CheckReport placed = with_github_places(report);
    EXPECT_EQ(placed.cases.at(1).where.file, placed.cases.at(0).where.file);
    EXPECT_EQ(placed.cases.at(0).where.line, 7);
    return placed.cases.at(0).where.file;
  }

  std::optional<platform::TemporaryFolder> folder_;
};

TEST_F(GithubPlacesTest, AreBelowTheRootOfTheRepository) {
  if (!engine::run_git(folder_->path(), {"init", "-q"}, {}).ok()) GTEST_SKIP() << "there is no git";
  EXPECT_EQ(place_of(in("bench/gate/fuselab.toml")), "bench/gate/fuselab.toml");
  EXPECT_EQ(place_of(in("bench/../bench/gate/fuselab.toml")), "bench/gate/fuselab.toml");
  fs::create_directory_symlink("bench", folder_->path() / "link");
  EXPECT_EQ(place_of(in("link/gate/fuselab.toml")), "bench/gate/fuselab.toml");
  // As somebody does who runs the gate in that folder.
  const fs::path before = fs::current_path();
  fs::current_path(folder_->path() / "bench");
  EXPECT_EQ(place_of("gate/fuselab.toml"), "bench/gate/fuselab.toml");
  fs::current_path(folder_->path() / "bench" / "gate");
  EXPECT_EQ(place_of("fuselab.toml"), "bench/gate/fuselab.toml");
  fs::current_path(before);
}

TEST_F(GithubPlacesTest, WithoutARepositoryAreBelowTheWorkspace) {
  const std::string file = in("bench/gate/fuselab.toml");
  EXPECT_EQ(place_of(file), file);
  ::setenv("GITHUB_WORKSPACE", in("bench").c_str(), 1);
  EXPECT_EQ(place_of(file), "gate/fuselab.toml");
  ::setenv("GITHUB_WORKSPACE", in("nowhere").c_str(), 1);
  EXPECT_EQ(place_of(file), file);
  fs::create_directories(folder_->path() / "other");
  ::setenv("GITHUB_WORKSPACE", in("other").c_str(), 1);
  EXPECT_EQ(place_of(file), file);
}

TEST_F(GithubPlacesTest, WhatIsNotHereStaysAsItWasGiven) {
  for (const std::string& file :
       {std::string(), std::string("nosuch/fuselab.toml"), in("bench/nosuch.toml"), std::string("a\0b", 3)})
    EXPECT_EQ(place_of(file), file);
}

}  // namespace
}  // namespace fuselab::cli
