// SPDX-License-Identifier: Apache-2.0
// Models that were made to harm: bounded time and memory, and one clear error each, or a model that is read like any other.
#include <sys/resource.h>

#include <chrono>
#include <limits>

#include "core/import/wire/wire_survey.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::imported;
using testing::ModelMaker;

// What a model may take, generously for slow machines and sanitizers.
class Bounds {
 public:
  ~Bounds() {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(60));
    EXPECT_LT(peak_kib() - peak_, 3L << 20);
  }

 private:
  static long peak_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  long peak_ = peak_kib();
};

void expect_one_line(const std::string& error, std::string_view part) {
  EXPECT_TRUE(has(error, part)) << error.substr(0, 1000);
  EXPECT_LT(error.size(), 1000u);
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(HostileModels, NamesOfTenMegabytesAreCutWhereverTheyStand) {
  const Bounds bounds;
  const std::string name(10'000'000, 'n');
  expect_one_line(error_of(ModelMaker().input("x", {"8"}).node("Add", {"x", name}, {"y"}).output("y")), "earlier node makes");
  expect_one_line(error_of(ModelMaker().input("x", {"8"}).node("Relu", {"x"}, {"y"}).output(name)), "made by nothing");
  expect_one_line(error_of(ModelMaker().weight(name, {-1}).node("Relu", {name}, {"y"}).output("y")), "extent -1");
  const auto barrier = imported(ModelMaker().input("x", {name}).node(name, {"x"}, {"y"}).output("y"));
  EXPECT_EQ(barrier.opaque_nodes, 1);
  for (const auto& note : barrier.notes) EXPECT_LT(note.size(), 1000u);
  for (const auto& symbol : barrier.graph.symbols()) EXPECT_LE(symbol.size(), 64u);
}

TEST(HostileModels, AMillionNodesAreRefusedBeforeTheyAreRead) {
  const Bounds bounds;
  ModelMaker maker;
  maker.input("x", {"8"}).output("x");
  onnx::NodeProto node;
  node.set_op_type("Relu");
  node.add_input("x");
  node.add_output("y");
  for (int i = 0; i < 1'000'000; ++i) *maker.graph().add_node() = node;
  expect_one_line(error_of(maker), "has 1000000 nodes, more than the 250000");
}

// Each of so many nodes asks whether its result is one of the graph's.
TEST(HostileModels, ManyOutputsAreNotSearchedOnceForEachNode) {
  const Bounds bounds;
  ModelMaker maker;
  maker.input("x", {"8"});
  for (int i = 0; i < 200'000; ++i) maker.node("Cast", {"x"}, {"c" + std::to_string(i)}).with("to", 1);
  maker.node("Relu", {"x"}, {"y"});
  for (int i = 0; i < 400'000; ++i) maker.output("y");
  const auto model = imported(maker);
  EXPECT_EQ(model.graph.outputs().size(), 400'000u);
}

TEST(HostileModels, BarriersBeyondNumberAreNotedAsANumber) {
  ModelMaker maker;
  maker.input("x", {"8"});
  for (int i = 0; i < 3000; ++i) maker.node("Unheard", {"x"}, {"y" + std::to_string(i)});
  for (int i = 0; i < 3000; ++i) maker.output("y" + std::to_string(i));
  const auto model = imported(maker);
  EXPECT_EQ(model.opaque_nodes, 3000);
  EXPECT_EQ(model.notes.size(), 1001u);
  EXPECT_EQ(model.notes.back(), "and 2000 more like these");
}

// Two bytes of the file become an object of more than a hundred.
TEST(HostileModels, EmptyPartsAreCountedBeforeTheyAreBuilt) {
  const Bounds bounds;
  std::string parts;
  for (int i = 0; i < 20'000'000; ++i) parts += std::string_view("\x0a\x00", 2);  // GraphProto.node, empty
  std::string bytes = "\x3a";                                                     // ModelProto.graph
  for (std::size_t size = parts.size(); size > 0; size >>= 7) {
    bytes += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
  }
  const auto model = ModelMaker::import_text(bytes + parts);
  ASSERT_FALSE(model.ok());
  expect_one_line(model.error().message, "so many parts");
}

// A node of nothing but names that are empty: two bytes each in the file, an object each in memory.
TEST(HostileModels, EmptyNamesAreCountedBeforeTheyAreBuilt) {
  const auto with_size = [](std::string_view tag, const std::string& content) {
    std::string bytes(tag);
    for (std::size_t size = content.size(); size > 0; size >>= 7) {
      bytes += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
    }
    return bytes + content;
  };
  std::string names;
  for (int i = 0; i < 30'000'000; ++i) names += std::string_view("\x0a\x00", 2);  // NodeProto.input, empty
  const std::string bytes = with_size("\x3a", with_size("\x0a", names));
  const auto begin = std::chrono::steady_clock::now();
  const Status surveyed = onnx::survey_model(std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(surveyed.ok());
  expect_one_line(surveyed.error().message, "so many parts");
  // Nothing is built of what is refused: walking the bytes alone takes a fraction of a second.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

// An If in an If in an If, as bytes: the outer ones are cheap to write.
std::string nested_ifs(int depth) {
  onnx::GraphProto graph;
  graph.add_output()->set_name("y");
  auto& innermost = *graph.add_node();
  innermost.set_op_type("Relu");
  innermost.add_input("x");
  innermost.add_output("y");
  for (int i = 0; i < depth; ++i) {
    onnx::GraphProto outer;
    auto& node = *outer.add_node();
    node.set_op_type("If");
    node.add_input("c");
    node.add_output("y");
    auto& branch = *node.add_attribute();
    branch.set_name("then_branch");
    *branch.mutable_g() = std::move(graph);
    outer.add_output()->set_name("y");
    graph = std::move(outer);
  }
  ModelMaker maker;
  maker.graph() = std::move(graph);
  maker.input("x", {"8"}).input("c", {}, 9);
  return maker.bytes();
}

// Bodies that do nothing, `depth` of them within each other, each `trips` times.
onnx::GraphProto nested_loops(int depth, const std::string& trips) {
  const std::string level = std::to_string(depth);
  ModelMaker body;
  body.input("i" + level, {}, 7).input("c" + level, {}, 9).input("a" + level, {"8"});
  if (depth == 0) body.node("Neg", {"a0"}, {"b0"});
  if (depth > 0) {
    body.node("Loop", {trips, trips.empty() ? "go" : "", "a" + level}, {"b" + level});
    body.with_body("body", nested_loops(depth - 1, trips));
  }
  return body.output("c" + level).output("b" + level).graph();
}

ModelMaker looping(const onnx::GraphProto& body, std::int64_t trips, bool counted = true) {
  ModelMaker maker;
  maker.input("x", {"8"}).integers("m", {trips}).flag("go", true);
  return maker.node("Loop", {counted ? "m" : "", counted ? "" : "go", "x"}, {"y"}).with_body("body", body).output("y", {"8"});
}

TEST(HostileModels, GraphsWithinGraphsHaveAnEnd) {
  for (const int depth : {25, 400, 1000}) {
    const auto deep = ModelMaker::import_text(nested_ifs(depth));
    ASSERT_FALSE(deep.ok());
    expect_one_line(deep.error().message, "more than 24 deep");
  }
  expect_one_line(error_of(looping(nested_loops(400, "m"), 2)), "more than 24 deep");
  const auto deepest = ModelMaker::import_text(nested_ifs(23));
  EXPECT_TRUE(deepest.ok()) << deepest.error().message;
}

TEST(HostileModels, LoopsWithoutEndAreOneBarrierAtOnce) {
  const Bounds bounds;
  const auto barrier = [](const ModelMaker& maker) {
    const auto model = imported(maker);
    EXPECT_EQ(testing::operators_of(model.graph), "?Loop");
    EXPECT_EQ(model.notes.size(), 1u);
    return model.barriers.empty() ? "" : model.barriers.begin()->second;
  };
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(barrier(looping(nested_loops(0, "m"), kEnd)),
            "its 9223372036854775807 trips are more than the 4096 that are written out");
  EXPECT_EQ(barrier(looping(nested_loops(0, "m"), 4097)), "its 4097 trips are more than the 4096 that are written out");
  // 1000 trips of 1000 trips of …, of which each alone may be written out.
  for (const int depth : {1, 5, 10})
    expect_one_line(barrier(looping(nested_loops(depth, "m"), 1000)),
                    "more than the 65536 nodes that the loops of a model may become");
  // Conditions that never turn false, on every level.
  for (const int depth : {0, 5}) expect_one_line(barrier(looping(nested_loops(depth, ""), 0, false)), "that are written out");
}

TEST(HostileModels, ManyLoopsShareWhatMayBeWrittenOut) {
  const Bounds bounds;
  ModelMaker maker;
  maker.input("x", {"8"}).integers("m", {4000}).flag("go", true).flag("no", false);
  // Each is read for all of its trips before it turns out that its condition is computed.
  ModelMaker body = ModelMaker().input("i", {}, 7).input("c", {}, 9).input("a", {"8"});
  body.node("Neg", {"a"}, {"b"}).node("Neg", {"b"}, {"d"}).output("c").output("d");
  for (int i = 0; i < 1000; ++i) {
    maker.node("Loop", {"", "go", "x"}, {"y" + std::to_string(i)}).with_body("body", body.graph());
    maker.output("y" + std::to_string(i), {"8"});
  }
  const auto model = imported(maker);
  EXPECT_EQ(model.opaque_nodes, 1000);
  EXPECT_EQ(model.nodes, 1000);
}

TEST(HostileModels, LoopsThatGrowAreRefused) {
  const Bounds bounds;
  ModelMaker body;
  body.input("i", {}, 7).input("c", {}, 9).input("a", {"8"}).node("Concat", {"a", "a"}, {"b"}).with("axis", 0);
  expect_one_line(error_of(looping(body.output("c").output("b").graph(), 100)), "2^62");
  ModelMaker padding;
  padding.input("i", {}, 7).input("c", {}, 9).input("a", {"8"}).integers("p", {std::int64_t{1} << 61, 0});
  padding.node("Pad", {"a", "p"}, {"b"});
  expect_one_line(error_of(looping(padding.output("c").output("b").graph(), 100)), "2^62");
  // A name as long as the file, in every trip.
  const std::string name(10'000'000, 'n');
  ModelMaker named;
  named.input("i", {}, 7).input("c", {}, 9).input("a", {"8"}).node("Neg", {"a"}, {name}).output("c").output(name);
  expect_one_line(imported(looping(named.graph(), 4000)).barriers.begin()->second, "nodes that the loops of a model may become");
}

TEST(HostileModels, NamesThatShadowOthersAreRefused) {
  ModelMaker body;
  body.input("i", {}, 7).input("c", {}, 9).input("x", {"8"}).node("Neg", {"x"}, {"b"}).output("c").output("b");
  expect_one_line(error_of(looping(body.graph(), 3)), "its body's input 'x' is there twice, or shadows");
  ModelMaker making;
  making.input("i", {}, 7).input("c", {}, 9).input("a", {"8"}).node("Neg", {"a"}, {"x"}).output("c").output("x");
  expect_one_line(error_of(looping(making.graph(), 3)), "makes 'x', which exists already");
  ModelMaker weighing;
  weighing.input("i", {}, 7).input("c", {}, 9).input("a", {"8"}).weight("m", {8}).node("Neg", {"a"}, {"b"}).output("c").output("b");
  expect_one_line(error_of(looping(weighing.graph(), 3)), "initializer 'm': is there twice");
}

TEST(HostileModels, PadsThatOverflowAreRefused) {
  const Bounds bounds;
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
  const auto padded = [](const std::vector<std::int64_t>& pads, const std::vector<std::int64_t>& axes = {}) {
    ModelMaker maker(18);
    maker.input("x", {"4", "8"}).integers("p", pads).integers("axes", axes);
    maker.node("Pad", {"x", "p", "", axes.empty() ? "" : "axes"}, {"y"});
    return error_of(maker.output("y"));
  };
  for (const std::int64_t huge : {kMost, kMost - 3, kLeast, kLeast + 1, std::int64_t{1} << 62}) {
    expect_one_line(padded({huge, 0, 0, 0}), "Pad");
    expect_one_line(padded({0, huge, 0, huge}), "Pad");
    expect_one_line(padded({0, 0}, {huge}), "is outside rank 2");
    expect_one_line(padded({huge, huge}, {1}), "Pad");
  }
}

TEST(HostileModels, ExtentsThatNothingCountsAreRefused) {
  expect_one_line(error_of(ModelMaker().input("x", {"-9223372036854775808"}).node("Relu", {"x"}, {"y"}).output("y")),
                  "input 'x': has the extent -9223372036854775808");
  expect_one_line(error_of(ModelMaker().input("x", {"1152921504606846976"}).node("Relu", {"x"}, {"y"}).output("y")), "2^62 bytes");
}

// A few numbers ask for more than anything holds: one error each, and nothing is ever filled.
TEST(HostileModels, ConstantsThatBlowUpAreRefused) {
  const Bounds bounds;
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const auto on = [](const std::string& op, const std::vector<std::int64_t>& numbers) {
    return error_of(ModelMaker().input("x", {"4", "8"}).integers("n", numbers).node(op, {"x", "n"}, {"y"}).output("y"));
  };
  expect_one_line(on("Expand", {kHuge, 4, 8}), "2^62");
  expect_one_line(on("Pad", {kHuge, 0, kHuge, 0}), "pads");
  expect_one_line(error_of(ModelMaker().integers("n", {kLarge, kLarge}).node("ConstantOfShape", {"n"}, {"y"}).output("y")), "2^62");
  expect_one_line(error_of(ModelMaker()
                               .integers("a", {0})
                               .integers("b", {kHuge})
                               .integers("c", {1})
                               .node("Range", {"a", "b", "c"}, {"y"})
                               .output("y")),
                  "2^62");
  expect_one_line(error_of(ModelMaker().integers("n", {kHuge}).node("HannWindow", {"n"}, {"y"}).output("y")), "2^62");
  ModelMaker doubling;
  doubling.input("v0", {"8"});
  for (int i = 0; i < 70; ++i) {
    const std::string from = "v" + std::to_string(i);
    doubling.node("Concat", {from, from}, {"v" + std::to_string(i + 1)}).with("axis", 0);
  }
  expect_one_line(error_of(doubling.output("v70")), "2^62");
}

// Where an operator is several of ours, one of them does not fit, and the whole is a barrier.
TEST(HostileModels, CompositionsThatBlowUpAreBarriers) {
  const std::int64_t large = std::int64_t{1} << 40;
  const auto model =
      imported(ModelMaker().input("x", {"4", "8"}).integers("n", {large, large}).node("Tile", {"x", "n"}, {"y"}).output("y"));
  ASSERT_EQ(model.barriers.size(), 1u);
  EXPECT_TRUE(has(model.barriers.begin()->second, "more than 2^62 elements")) << model.barriers.begin()->second;
}

TEST(HostileModels, SymbolsBeyondNumberAreNotAllListed) {
  ModelMaker maker;
  for (int i = 0; i < 3000; ++i) maker.input("x" + std::to_string(i), {"s" + std::to_string(i)});
  const auto unbound = fuselab::bind(imported(maker.node("Relu", {"x0"}, {"y"}).output("y")).graph, {});
  ASSERT_FALSE(unbound.ok());
  expect_one_line(unbound.error().message, "(3000 in all)");
}

TEST(HostileModels, LargeConstantsAreOnlyShapes) {
  const Bounds bounds;
  constexpr std::int64_t kMany = std::int64_t{1} << 20;
  const auto model = imported(
      ModelMaker().integers("n", {kMany, kMany}).node("ConstantOfShape", {"n"}, {"c"}).node("Add", {"c", "c"}, {"y"}).output("y"));
  EXPECT_EQ(testing::output_type(model.graph), "f32[1048576,1048576]");
}

TEST(Survey, SaysOfForeignBytesWhatProtobufWouldSay) {
  const auto surveyed = [](std::string_view text) {
    return onnx::survey_model(std::as_bytes(std::span(text.data(), text.size())));
  };
  EXPECT_TRUE(surveyed("").ok());
  EXPECT_FALSE(surveyed("\x3a\x05").ok());  // a graph that is cut off
  EXPECT_FALSE(surveyed("\x3b").ok());      // a group, which ONNX has none of
  EXPECT_FALSE(surveyed(std::string_view("\x00\x00", 2)).ok());
  EXPECT_FALSE(surveyed("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").ok());
}

}  // namespace
}  // namespace fuselab
