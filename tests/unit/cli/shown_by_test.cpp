// SPDX-License-Identifier: Apache-2.0
// What is stored under other options than those that were typed, and what to type.
#include "app/cli/output/shown_by.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using engine::CompareSpec;
using engine::CompareTable;
using engine::Question;

DeviceInfo device(const std::string& id) {
  DeviceInfo info;
  info.id = id;
  info.backend = id.substr(0, id.find(':'));
  info.synthetic = info.backend == "null";
  return info;
}

// A database with figures of one question, in one mode, on one device.
struct Stored {
  Question question{"cols=256,rows=64", "O2", "f32"};
  CacheMode mode = CacheMode::kCold;
  std::string device_id = "cpu:0";

  bool holds(const CompareSpec& spec, const std::string& binding) const {
    const bool here = spec.devices.only.empty() ? device_id == "cpu:0"
                                                : std::count(spec.devices.only.begin(), spec.devices.only.end(), device_id) > 0;
    return binding == question.binding && spec.protocol.mode == mode && here &&
           (spec.level.empty() || spec.level == question.level) && (spec.dtype.empty() || spec.dtype == question.dtype);
  }
  // As a session answers: a subject that is named has a table whatever is stored; without one, filters may leave none.
  std::vector<CompareTable> tables(const CompareSpec& spec) const {
    const std::string usual = spec.subjects.empty() ? question.binding : "cols=8,rows=8";
    const std::string binding = spec.bindings.empty() ? usual : spec.bindings.front();
    if (spec.subjects.empty() && binding != question.binding) return {};
    if (spec.subjects.empty() && !spec.level.empty() && spec.level != question.level) return {};
    const bool figures = holds(spec, binding);
    CompareTable table = table_of({cell_on(device_id, figures ? measured(10, 9, 11, "t") : engine::Cell(), {})});
    table.binding = binding;
    table.level = spec.level.empty() ? "O2" : spec.level;
    table.dtype = spec.dtype.empty() ? "f32" : spec.dtype;
    if (table.question() != question) table.also_measured.push_back(question);
    return {table};
  }
  std::string told(const CompareSpec& asked, bool synthetic = false) const {
    const auto compare = [this](const CompareSpec& spec) { return Result<std::vector<CompareTable>>(tables(spec)); };
    return shown_by(asked, tables(asked), {device("cpu:0"), device("null:0")}, synthetic, compare);
  }
};

CompareSpec of(const std::string& subject, const std::string& binding = "") {
  CompareSpec spec;
  if (!subject.empty()) spec.subjects = {subject};
  if (!binding.empty()) spec.bindings = {binding};
  return spec;
}

TEST(ShownBy, NamesTheModeThatWasMeasured) {
  EXPECT_EQ(Stored().told(of("w5", "cols=256,rows=64")), "measured in mode cold: `--mode cold` shows it");
  EXPECT_EQ(Stored().told(of("")), "measured in mode cold: `--mode cold` shows it") << "without a subject, too";
}

TEST(ShownBy, NamesTheShapeLevelAndTypeThatAreStored) {
  Stored stored;
  stored.mode = CacheMode::kWarm;
  EXPECT_EQ(stored.told(of("w5")), "measured at shape cols=256,rows=64: `--shape cols=256,rows=64` shows it");
  CompareSpec asked = of("w5", "cols=256,rows=64");
  asked.level = "O0";
  EXPECT_EQ(stored.told(asked), "measured at level O2: `--level O2` shows it");
  asked.dtype = "f16";
  EXPECT_EQ(stored.told(asked), "measured of element type f32 at level O2: `--dtype f32 --level O2` shows it");
  EXPECT_EQ(stored.told(of("", "rows=9")), "measured at shape cols=256,rows=64: `--shape cols=256,rows=64` shows it");
}

TEST(ShownBy, NamesScriptedTrialsAsSuch) {
  Stored stored;
  stored.mode = CacheMode::kWarm;
  stored.device_id = "null:0";
  EXPECT_EQ(stored.told(of("w5", "cols=256,rows=64")), "only scripted trials of this are stored: `--synthetic` shows them");
  EXPECT_EQ(stored.told(of("w5")),
            "measured at shape cols=256,rows=64 on scripted devices: `--shape cols=256,rows=64 --synthetic` shows it");
}

TEST(ShownBy, NamesTheDeviceWhereAnotherWasAskedFor) {
  Stored stored;
  stored.mode = CacheMode::kWarm;
  CompareSpec asked = of("w5", "cols=256,rows=64");
  asked.devices.only = {"null"};
  EXPECT_EQ(stored.told(asked), "measured on cpu:0: `--device cpu:0` shows it");
}

TEST(ShownBy, FindsWhatDiffersInEverything) {
  Stored stored;
  stored.device_id = "null:0";
  EXPECT_EQ(stored.told(of("w5")),
            "measured at shape cols=256,rows=64 in mode cold on scripted devices: `--shape cols=256,rows=64 --mode cold "
            "--synthetic` shows it");
}

TEST(ShownBy, SaysNothingThatWasNotSeen) {
  Stored stored;
  stored.device_id = "cuda:0";  // not here any more
  EXPECT_EQ(stored.told(of("w5")), "");
  EXPECT_EQ(stored.told(of("")), "");
}

}  // namespace
}  // namespace fuselab::cli
