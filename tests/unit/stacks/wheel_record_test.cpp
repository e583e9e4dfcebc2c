// SPDX-License-Identifier: Apache-2.0
#include "core/stacks/wheel_record.h"

#include <gtest/gtest.h>

#include <set>

#include "core/stacks/installable_stacks.h"

namespace fuselab {
namespace {

// The SHA-256 of "" in both notations.
constexpr const char* kEmpty = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
constexpr const char* kEmptyHex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(WheelRecord, HoldsPathsHashesAndSizes) {
  const auto files = parse_wheel_record("a/b.so,sha256=" + std::string(kEmpty) + ",12\r\n\"a,\"\"q\"\".txt\",sha256=" + kEmpty +
                                        ",0\nx.dist-info/RECORD,,\n");
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files.value().size(), 3U);
  EXPECT_EQ(files.value()[0].path, "a/b.so");
  EXPECT_EQ(files.value()[0].hash.hex(), kEmptyHex);
  EXPECT_EQ(files.value()[0].size.count, 12);
  EXPECT_EQ(files.value()[1].path, "a,\"q\".txt");
  EXPECT_TRUE(files.value()[2].hash.empty());
}

TEST(WheelRecord, RefusesWhatItCannotVouchFor) {
  const std::string good = "sha256=" + std::string(kEmpty);
  for (const std::string& line :
       std::vector<std::string>{"../x," + good + ",1", "/x," + good + ",1", "a/../../x," + good + ",1", "a//x," + good + ",1",
                                "," + good + ",1", "x,md5=abc,1", "x,sha256=abc,1", "x," + good + ",", "x," + good + ",-1",
                                "x," + good + ",1x", "x," + good.substr(0, good.size() - 1) + "V,1", "x," + good + "=,1"}) {
    const auto files = parse_wheel_record("ok," + good + ",1\n" + line + "\n");
    ASSERT_FALSE(files.ok()) << line;
    EXPECT_EQ(files.error().code, ErrorCode::kCorrupt) << line;
    EXPECT_NE(files.error().message.find("line 2"), std::string::npos) << files.error().message;
  }
}

TEST(InstallableStacks, StateEverythingThatPinsThem) {
  std::set<std::string_view> ids;
  for (const InstallableStack& stack : installable_stacks()) {
    EXPECT_TRUE(ids.insert(stack.id).second) << stack.id;
    EXPECT_GT(stack.download().count, 0) << stack.id;
    for (const auto text : {stack.backend, stack.version, stack.publisher, stack.licence, stack.library})
      EXPECT_FALSE(text.empty());
    for (const StackWheel& wheel : stack.wheels) {
      EXPECT_FALSE(wheel.package.empty()) << stack.id;
      EXPECT_GT(wheel.size.count, 0) << wheel.package;
      EXPECT_TRUE(ContentHash::from_hex(wheel.sha256).ok()) << wheel.package;
      EXPECT_TRUE(ContentHash::from_hex(wheel.record_sha).ok()) << wheel.package;
      EXPECT_TRUE(wheel.record.ends_with(".dist-info/RECORD")) << wheel.package;
    }
    EXPECT_EQ(find_packaged_stack(stack.id), nullptr) << stack.id << " stands in both lists";
  }
}

}  // namespace
}  // namespace fuselab
