// SPDX-License-Identifier: Apache-2.0
#include "app/worker/reference/reference_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/worker/reference/reference_file.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::worker {
namespace {

Graph small_graph() {
  return parse_graph("graph(i0: f32[4,8], i1: f32[4,8]) { v0 = Add(i0, i1); v1 = ReduceSum(v0, axes=[1]); return v0, v1 }").value();
}

std::filesystem::path only_file(const std::filesystem::path& folder) {
  std::filesystem::path found;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found = entry.path();
    ++files;
  }
  EXPECT_EQ(files, 1);
  return found;
}

TEST(ReferenceCache, ServesTheNextProcessFromDisk) {
  const ScratchFolder folder;
  const Graph graph = small_graph();
  const auto computed = ReferenceCache(folder.path()).get(graph, {});
  ASSERT_TRUE(computed.ok()) << computed.error().message;
  const auto file = only_file(folder.path());
  const auto written = std::filesystem::last_write_time(file);
  const auto recalled = ReferenceCache(folder.path()).get(graph, {});
  ASSERT_TRUE(recalled.ok());
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
  EXPECT_EQ(recalled.value()->packed, computed.value()->packed);
  ASSERT_EQ(recalled.value()->expected.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(recalled.value()->expected[i].type, computed.value()->expected[i].type);
    EXPECT_EQ(recalled.value()->expected[i].values, computed.value()->expected[i].values);
    EXPECT_EQ(recalled.value()->expected[i].magnitude, computed.value()->expected[i].magnitude);
  }
}

TEST(ReferenceCache, MakesInputsAloneWhereNoMoreIsAskedFor) {
  const ScratchFolder folder;
  const Graph graph = small_graph();
  ReferenceCache cache(folder.path());
  const auto inputs = cache.inputs_of(graph, {});
  EXPECT_FALSE(inputs->is_complete);
  EXPECT_FALSE(cache.holds(graph, {}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const auto whole = cache.get(graph, {});
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole.value()->is_complete);
  EXPECT_EQ(whole.value()->packed, inputs->packed);
  EXPECT_EQ(cache.inputs_of(graph, {}), whole.value());
}

TEST(ReferenceCache, ComputesDamagedFilesAnew) {
  const ScratchFolder folder;
  const Graph graph = small_graph();
  const auto computed = ReferenceCache(folder.path()).get(graph, {});
  const auto file = only_file(folder.path());
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(100);
    bytes.put('\x55');
  }
  const auto again = ReferenceCache(folder.path()).get(graph, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value()->expected[0].values, computed.value()->expected[0].values);
  std::filesystem::resize_file(file, 40);
  ASSERT_TRUE(ReferenceCache(folder.path()).get(graph, {}).ok());
  EXPECT_GT(std::filesystem::file_size(file), 40U);  // and is whole again
}

TEST(ReferenceCache, ServesNothingThatAnotherReferenceComputed) {
  const ScratchFolder folder;
  const Graph graph = small_graph();
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), {}); };
  ASSERT_TRUE(ReferenceCache(folder.path(), "with a bug").get(graph, {}).ok());
  const auto wrong = only_file(folder.path());
  ASSERT_TRUE(ReferenceCache(folder.path()).get(graph, {}).ok());
  EXPECT_EQ(files(), 2) << "computed anew";
  ASSERT_TRUE(ReferenceCache(folder.path()).get(graph, {}).ok());
  EXPECT_EQ(files(), 2);
  EXPECT_TRUE(std::filesystem::exists(wrong));
}

TEST(ReferenceCache, HasTheVersionAndADigestOfTheSourcesInItsKey) {
  const std::string revision = reference_revision();
  EXPECT_EQ(revision.find(std::string(tool_version()) + " "), 0U) << revision;
  EXPECT_EQ(revision.size(), tool_version().size() + 1 + 64) << revision;
}

TEST(ReferenceCache, OtherInputsAreAnotherCase) {
  ReferenceCache cache({});
  const Graph graph = small_graph();
  const auto first = cache.get(graph, {InputPattern::kUniform, 1});
  EXPECT_TRUE(cache.holds(graph, {InputPattern::kUniform, 1}));
  EXPECT_FALSE(cache.holds(graph, {InputPattern::kUniform, 2}));
  EXPECT_FALSE(cache.holds(graph, {InputPattern::kLarge, 1}));
  const auto second = cache.get(graph, {InputPattern::kUniform, 2});
  EXPECT_NE(first.value()->packed, second.value()->packed);
  EXPECT_EQ(cache.get(graph, {InputPattern::kUniform, 1}).value(), first.value());  // the same object
}

TEST(ReferenceCache, WorksWithoutAWritableFolder) {
  const ScratchFolder folder;
  folder.write("file", "");
  EXPECT_TRUE(ReferenceCache(folder.path() / "file/cache").get(small_graph(), {}).ok());
}

TEST(ReferenceCache, HoldsFreivaldsCheckWhereOnlyASampleIsKnown) {
  ReferenceCache cache({});
  const auto product = [](const std::string& rows, const char* epilogue) {
    return parse_graph("graph(i0: f32[" + rows +
                       ",4096], p0: param f32[4096,256], p1: param f32[256]) { v0 = MatMul(i0, p0); v1 = " + std::string(epilogue) +
                       "; return v1 }")
        .value();
  };
  EXPECT_TRUE(cache.get(product("1024", "Add(v0, p1)"), {}).value()->product);
  EXPECT_FALSE(cache.get(product("1024", "Relu(v0)"), {}).value()->product);
  EXPECT_FALSE(cache.get(product("64", "Add(v0, p1)"), {}).value()->product);  // every element is compared
}

TEST(ReferenceFile, RefusesWhatBelongsToAnotherGraph) {
  const ScratchFolder folder;
  const auto computed = ReferenceCache({}).get(small_graph(), {});
  const auto bytes = reference_bytes(computed.value()->expected);
  EXPECT_TRUE(parse_reference(bytes, small_graph()).ok());
  const Graph other = parse_graph("graph(i0: f32[4,8]) { v0 = Relu(i0); return v0 }").value();
  EXPECT_EQ(parse_reference(bytes, other).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(parse_reference({}, other).error().code, ErrorCode::kCorrupt);
}

TEST(ReferenceFile, MakesRoomByRemovingTheOldest) {
  const ScratchFolder folder;
  for (int i = 0; i < 4; ++i) {
    const std::string name = std::to_string(i) + ".ref";
    folder.write(name, std::string(100, 'x'));
    std::filesystem::last_write_time(folder.path() / name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  folder.write("other.txt", std::string(1000, 'x'));
  make_room(folder.path(), {250});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "0.ref"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "1.ref"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "2.ref"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "3.ref"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "other.txt"));
}

}  // namespace
}  // namespace fuselab::worker
