// SPDX-License-Identifier: Apache-2.0
// ONNX publishes many of its cases twice: as one operator, and written out as the operators that its definition is made of. People
// export both; so both are to be cut into the same pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "core/fusion/fusion_engine.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

constexpr std::string_view kExpanded = "_expanded";
// Of the cases of version 1.12 that are there both ways, are imported both ways and compute anything.
constexpr int kLeastAlike = 38;

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
  // Second results (statistics) are for training: of the operator itself they are not imported either.
  std::vector<NodeId> all;
  for (std::uint32_t i = 0; i < ready.graph.nodes().size(); ++i) all.push_back(NodeId(i));
  const ValueId wanted = ready.graph.outputs().front();
  const Graph graph = extract(ready.graph, all, [&](ValueId value) { return value == wanted; });
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

TEST(ExpandedCases, AreCutLikeTheOperatorThatTheyWriteOut) {
  int alike = 0, compared = 0;
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
    } else {
      apart[names(one) + "  /  " + names(written_out)].insert(name);
    }
  }
  if (compared == 0) GTEST_SKIP() << test::kOnnxCases << " is not there: install libonnx-testdata";
  std::cout << alike << " of " << compared << " cases that are written out are cut into as many pieces as the operator itself\n";
  for (const auto& [cuts, cases] : apart)
    std::cout << "  " << cases.size() << " are not (" << *cases.begin() << "): " << cuts << '\n';
  for (const auto& [why, cases] : skipped)
    std::cout << "  " << cases.size() << " skipped (" << *cases.begin() << "): " << why << '\n';
  EXPECT_GE(alike, kLeastAlike);
}

}  // namespace
}  // namespace fuselab
