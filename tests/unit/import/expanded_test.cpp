// SPDX-License-Identifier: Apache-2.0
// ONNX publishes many of its cases twice: as one operator, and written out as the operators that its definition is made of. People
// export both; so both are to be cut into the same pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "core/fusion/partition/fusion_engine.h"
#include "core/fusion/written_out/recompose.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

constexpr std::string_view kExpanded = "_expanded";
// Of the cases of version 1.12 that are there both ways, are imported both ways and compute anything: that many have as many
// pieces, and so many of them the very same.
constexpr int kLeastAlike = 98;
constexpr int kLeastSame = 66;
// Those that have not, and why.
const std::map<std::string, std::string> kApart = {
    {"test_dynamicquantizelinear_max_adjusted_expanded",
     "a composition either way: ONNX's own takes the zero point to u8 and back before it is added"},
    {"test_dynamicquantizelinear_min_adjusted_expanded", "as its other case"},
};

// The pieces that run, or why there is no cut.
struct Cut {
  std::vector<FusedOperation> pieces;
  std::string skipped;
};

bool runs(const FusedOperation& piece) {
  return std::any_of(piece.graph.nodes().begin(), piece.graph.nodes().end(),
                     [](const Node& node) { return node.op != Op::kConstant && !is_view(node.op); });
}

Cut cut(const std::filesystem::path& folder) {
  const auto read = test::read_onnx_case(folder);
  if (!read) return {{}, "has operands that are no tensors"};
  const test::ReadyCase ready = test::ready(*read);
  if (!ready.skipped.empty()) return {{}, ready.skipped};
  // Of further results (statistics) nothing is compared: an operator that has them is written out by the importer.
  std::vector<NodeId> all;
  for (std::uint32_t i = 0; i < ready.graph.nodes().size(); ++i) all.push_back(NodeId(i));
  const ValueId wanted = ready.graph.outputs().front();
  Graph graph = extract(ready.graph, all, [&](ValueId value) { return value == wanted; });
  // As the importer does with what it read: here without what read the second result.
  if (auto whole = recompose(graph)) graph = std::move(whole->graph);
  auto fused = fuse(graph, options_for(OptimizationLevel::kO2));
  if (!fused.ok()) return {{}, fused.error().message};
  Cut found;
  for (FusedOperation& piece : fused.value().operations) {
    if (runs(piece)) found.pieces.push_back(std::move(piece));
  }
  if (found.pieces.empty()) found.skipped = "is folded altogether";
  return found;
}

std::string names(const Cut& cut) {
  std::string text;
  for (const FusedOperation& piece : cut.pieces) {
    text += text.empty() ? "" : " | ";
    std::string operators;
    for (const Node& node : piece.graph.nodes()) {
      if (node.op == Op::kConstant || is_view(node.op)) continue;
      operators += (operators.empty() ? "" : "+") + std::string(name_of(node.op));
    }
    text += operators;
  }
  return text;
}

std::vector<std::string> ids(const Cut& cut) {
  std::vector<std::string> all;
  for (const FusedOperation& piece : cut.pieces) all.push_back(piece.id);
  return all;
}

TEST(ExpandedCases, AreCutLikeTheOperatorThatTheyWriteOut) {
  int alike = 0, same = 0, compared = 0;
  std::map<std::string, std::set<std::string>> skipped;
  std::map<std::string, std::set<std::string>> apart;
  for (const auto& folder : test::onnx_cases()) {
    const std::string name = folder.filename().string();
    if (!name.ends_with(kExpanded)) continue;
    const auto whole = folder.parent_path() / name.substr(0, name.size() - kExpanded.size());
    if (!std::filesystem::exists(whole)) continue;
    const Cut one = cut(whole), written_out = cut(folder);
    if (!one.skipped.empty() || !written_out.skipped.empty()) {
      skipped[one.skipped.empty() ? "written out it " + written_out.skipped : "it " + one.skipped].insert(name);
      continue;
    }
    ++compared;
    if (one.pieces.size() == written_out.pieces.size()) {
      ++alike;
      same += ids(one) == ids(written_out) ? 1 : 0;
    } else {
      EXPECT_EQ(kApart.count(name), 1U) << name << ": " << names(one) << "  /  " << names(written_out);
      apart[names(one) + "  /  " + names(written_out)].insert(name);
    }
  }
  if (compared == 0) GTEST_SKIP() << test::kOnnxCases << " is not there: install libonnx-testdata";
  std::cout << alike << " of " << compared << " cases that are written out are cut into as many pieces as the operator itself, "
            << same << " into the very same\n";
  for (const auto& [cuts, cases] : apart)
    std::cout << "  " << cases.size() << " are not (" << *cases.begin() << "): " << cuts << '\n';
  for (const auto& [why, cases] : skipped)
    std::cout << "  " << cases.size() << " skipped (" << *cases.begin() << "): " << why << '\n';
  EXPECT_GE(alike, kLeastAlike);
  EXPECT_GE(same, kLeastSame);
}

}  // namespace
}  // namespace fuselab
