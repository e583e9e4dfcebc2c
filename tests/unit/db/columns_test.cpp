// SPDX-License-Identifier: Apache-2.0
// What a column holds reads back as it was, and damage is noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/backend/device_info.h"
#include "db/connection/compression.h"
#include "db/rows/enum_text.h"
#include "db/rows/json_columns.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab::db {
namespace {

// Every enumerator from 0 to `last` has a text of its own that reads back as itself.
template <typename Enum, typename Name, typename Parse>
void expect_both_ways(Enum last, Name name, Parse parse) {
  std::set<std::string> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    const auto enumerator = static_cast<Enum>(value);
    const std::string text(name(enumerator));
    EXPECT_TRUE(names.insert(text).second) << text;
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(parsed.value(), enumerator) << text;
  }
  EXPECT_FALSE(parse("no such name").ok());
}

TEST(EnumText, EveryStoredEnumReadsBackAsItself) {
  const auto name = [](auto value) { return fuselab::name_of(value); };
  expect_both_ways(Outcome::kCancelled, name, parse_outcome);
  expect_both_ways(PlanKind::kUnfused, name, parse_plan_kind);
  expect_both_ways(TimingSource::kSynthetic, name, parse_timing_source);
  expect_both_ways(CacheMode::kFirstLaunch, name, parse_cache_mode);
  expect_both_ways(OptimizationLevel::kO3, name, parse_optimization_level);
  expect_both_ways(BufferRole::kProviderOwned, name, parse_buffer_role);
  expect_both_ways(InputPattern::kDenormal, name, parse_input_pattern);
  expect_both_ways(
      Origin::kImported, [](Origin origin) { return name_of(origin); }, parse_origin);
}

TEST(SampleBlob, KeepsEveryBit) {
  const std::vector<double> samples = {1.5, -0.0, 1e-310, std::numeric_limits<double>::infinity(), 123456.789};
  const auto blob = pack_samples(samples);
  const auto read = unpack_samples(blob, 5);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 5u);
  for (std::size_t index = 0; index < samples.size(); ++index) {
    EXPECT_EQ(std::signbit(read.value()[index]), std::signbit(samples[index]));
    EXPECT_EQ(read.value()[index], samples[index]);
  }
}

TEST(SampleBlob, NoSamplesTakeNoBytes) {
  EXPECT_TRUE(pack_samples({}).empty());
  const auto read = unpack_samples({}, 0);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.value().empty());
}

TEST(SampleBlob, NoticesEveryFlippedBitInTheContent) {
  const std::vector<double> samples(40, 3.25);
  const auto blob = pack_samples(samples);
  int accepted = 0;
  for (std::size_t position = 0; position < blob.size(); ++position) {
    auto damaged = blob;
    damaged[position] ^= std::byte{0x10};
    const auto read = unpack_samples(damaged, 40);
    // Some header bits mean nothing; what is accepted must be what was stored.
    if (read.ok()) {
      ++accepted;
      EXPECT_EQ(read.value(), samples) << "at byte " << position;
    }
  }
  EXPECT_LT(accepted, static_cast<int>(blob.size()) / 4);
}

TEST(SampleBlob, RefusesACountThatDoesNotFit) {
  const std::vector<double> samples(4, 1.0);
  const auto blob = pack_samples(samples);
  EXPECT_FALSE(unpack_samples(blob, 3).ok());
  EXPECT_FALSE(unpack_samples(blob, -1).ok());
  EXPECT_FALSE(unpack_samples(blob, std::int64_t{1} << 60).ok());
}

TEST(JsonColumns, ReadBackNestedValues) {
  CompiledKernel kernel = testing::synthetic_kernel(3);
  kernel.abi.preparation = {"fuselab_prepare", {1, 2}, {"3"}, {"4096"}};
  kernel.abi.after = {{"k_fold", {"4"}, {"256"}, {"0"}}, {"k_fold2", {"1"}, {"32"}, {"65536"}}};
  kernel.abi.cluster = 2;
  kernel.abi.maps = {{1, DType::kBF16, {512, 64}, {1024}, {64, 32}, 128}};
  KernelAbi abi;
  ASSERT_TRUE(from_json(to_json(kernel.abi), abi).ok());
  EXPECT_EQ(abi, kernel.abi);
  LaunchConfig config;
  ASSERT_TRUE(from_json(to_json(kernel.config), config).ok());
  EXPECT_EQ(config, kernel.config);
  const std::vector<Target> targets = {{"sm_90", "cuda", {{"max_threads", 1024}}}, {"x86-64-v3", "x86-64", {}}};
  std::vector<Target> read;
  ASSERT_TRUE(from_json(to_json(targets), read).ok());
  EXPECT_EQ(read, targets);
}

// Signatures cover this text: in another spelling no stored kernel would be vouched for any more.
TEST(JsonColumns, SpellACallRecordAsTheyAlwaysDid) {
  KernelAbi abi;
  abi.entry = "k";
  abi.arguments = {{"x", BufferRole::kIn, {DType::kF32, {Dim::symbol("n"), 8}}, 64}};
  abi.grid_x = {"n/4"};
  EXPECT_EQ(to_json(abi), R"({"arguments":[{"alignment":64,"name":"x","role":"in","type":{"dims":["n",8],"dtype":"f32"}}],)"
                          R"("block":["1","1","1"],"entry":"k","grid":["n/4","1","1"],"shared":"0"})");
  abi.preparation = {"p", {1}, {"3"}, {"4096"}};
  const std::string text = to_json(abi);
  EXPECT_EQ(text.substr(text.find("\"preparation\"")),
            R"("preparation":{"bytes":"4096","entry":"p","inputs":[1],"tasks":"3"},"shared":"0"})");
  abi = {};
  abi.after = {{"k_fold", {"n / 8"}, {"256"}, {"1024"}}};
  EXPECT_EQ(to_json(abi), R"({"after":[{"block":"256","entry":"k_fold","grid":"n / 8","shared":"1024"}],"arguments":[],)"
                          R"("block":["1","1","1"],"entry":"","grid":["1","1","1"],"shared":"0"})");
}

TEST(JsonColumns, GiveAnErrorForDamagedText) {
  KernelAbi abi;
  std::map<std::string, std::int64_t> limits;
  for (const char* text : {"", "{", "[]", "{\"entry\":1}", "null", "{\"entry\":\"k\",\"arguments\":[{}]}"}) {
    EXPECT_FALSE(from_json(text, abi).ok()) << text;
  }
  EXPECT_FALSE(from_json("{\"a\":\"text\"}", limits).ok());
}

}  // namespace
}  // namespace fuselab::db
