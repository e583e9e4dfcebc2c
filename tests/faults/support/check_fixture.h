// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "app/gate/baseline/baseline_making.h"
#include "app/gate/check/check.h"
#include "app/gate/source/utc_dates.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {

// The performance gate of a folder with one case, on the synthetic device.
class Check : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    config_ = config_in(folder_);
    config_.synthetic = true;
  }

  // A fuselab.toml of one case, with these lines besides.
  engine::CheckConfig cases(const std::string& more = "") const {
    auto parsed = engine::parse_check_config(
        "[[case]]\nname = 'norm'\nsubject = 'w3'\nshape = 'rows=8,cols=16'\ndevices = '" + device_ + "'\n" + more, "fuselab.toml",
        folder_);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return std::move(parsed).value();
  }
  std::filesystem::path file() const { return folder_ / "fuselab.baseline"; }

  void save(const std::string& more = "", int expires = 0) {
    engine::BaselineSpec spec;
    spec.config = cases(more);
    if (expires > 0) spec.expires_at = engine::utc_now(expires);
    const auto made = engine::save_baseline(config_, spec, file(), {}, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    ASSERT_EQ(made.value().baseline.kernels.size(), 1U);
  }
  // Changes the file's content and signs it anew.
  template <typename Change>
  void edit(Change change) {
    db::Trust trust(config_.key_directory);
    auto read = engine::read_baseline(file(), trust);
    ASSERT_TRUE(read.ok()) << read.error().message;
    change(read.value());
    ASSERT_TRUE(engine::write_baseline(file(), read.value(), trust).ok());
  }

  engine::CheckSpec spec_of(const std::string& more = "") const {
    engine::CheckSpec spec;
    spec.config = cases(more);
    spec.baseline = file();
    spec.reproduce = [](const std::string& name) { return "fuselab check --case " + name; };
    return spec;
  }
  CheckReport check(const engine::CheckSpec& spec) {
    auto run = engine::run_check(config_, spec, {}, {});
    EXPECT_TRUE(run.ok()) << run.error().message;
    return run.ok() ? engine::report_of(std::move(run).value()) : CheckReport();
  }
  CheckReport check(const std::string& more = "", double drill = 0) {
    engine::CheckSpec spec = spec_of(more);
    spec.drill = drill;
    return check(spec);
  }
  CaseOutcome only(const CheckReport& report) {
    EXPECT_EQ(report.cases.size(), 1U);
    return report.cases.empty() ? CaseOutcome() : report.cases.front();
  }

  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  engine::Config config_;
  std::string device_ = "null:0";
};

}  // namespace fuselab
