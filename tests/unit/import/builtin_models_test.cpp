// SPDX-License-Identifier: Apache-2.0
#include "core/import/models/builtin_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/fusion/partition/fusion_engine.h"
#include "core/import/onnx_import.h"

namespace fuselab {
namespace {

struct Fused {
  ImportedModel model;
  double flops = 0;
  FusionResult result;
  std::map<FusionPatternType, int> patterns;
};

Fused fuse_builtin(const std::string& id) {
  const auto file = std::filesystem::path(::testing::TempDir()) / (id + ".onnx");
  const auto written = write_builtin_model(id, file);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
  auto model = import_onnx(file);
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
  Fused fused;
  if (!model.ok()) return fused;
  fused.model = std::move(model).value();
  const auto models = builtin_models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const BuiltinModel& each) { return each.id == id; });
  const auto bound = fuselab::bind(fused.model.graph, found->default_bindings.front());
  EXPECT_TRUE(bound.ok()) << (bound.ok() ? "" : bound.error().message);
  if (!bound.ok()) return fused;
  const auto cost = cost_of(bound.value());
  EXPECT_TRUE(cost.ok());
  if (cost.ok()) fused.flops = cost.value().flops;
  auto result = fuse(bound.value(), {});
  EXPECT_TRUE(result.ok());
  if (result.ok()) fused.result = std::move(result).value();
  for (const auto& piece : fused.result.operations) {
    ++fused.patterns[piece.pattern];
    EXPECT_TRUE(validate(piece).valid()) << piece.name;
    EXPECT_GT(piece.cost.ideal().count, 0) << piece.name;
  }
  return fused;
}

class BuiltinModels : public ::testing::TestWithParam<std::string> {};

TEST_P(BuiltinModels, AreUnderstoodCompletely) {
  const Fused fused = fuse_builtin(GetParam());
  EXPECT_TRUE(fused.model.notes.empty()) << fused.model.notes.front();
  EXPECT_EQ(fused.model.opaque_nodes, 0);
  EXPECT_GT(fused.model.nodes, 10);
  EXPECT_DOUBLE_EQ(fused.result.covered_share, 1.0);
  for (const auto& rejected : fused.result.rejected) EXPECT_FALSE(rejected.reason.empty());
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinModels, ::testing::Values("resnet50", "bert-layer", "llama-layer", "llama-decode"),
                         [](const auto& each) {
                           std::string name = each.param;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

TEST(BuiltinResNet, ComputesThePublishedNumberOfFlops) {
  const Fused fused = fuse_builtin("resnet50");
  // 4.09 billion multiply-adds (v1.5), and the element-wise rest.
  EXPECT_GT(fused.flops, 8.1e9);
  EXPECT_LT(fused.flops, 8.3e9);
  // Each of the 53 convolutions takes its batch normalisation; 2 pools and the classifier remain.
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kConvBatchNorm), 53);
  EXPECT_EQ(fused.result.operations.size(), 56u);
}

TEST(BuiltinBert, HasOneAttentionAndTwoNorms) {
  const Fused fused = fuse_builtin("bert-layer");
  // 2·128·(4·768² + 2·768·3072) of the projections, and attention.
  EXPECT_GT(fused.flops, 1.85e9);
  EXPECT_LT(fused.flops, 1.90e9);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kAttention), 1);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kLinearActivation), 6);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kNormalization), 2);
}

TEST(BuiltinLlama, HasAttentionTwoRotariesAndTwoNorms) {
  const Fused fused = fuse_builtin("llama-layer");
  EXPECT_GT(fused.flops, 13.2e9);
  EXPECT_LT(fused.flops, 13.4e9);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kAttention), 1);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kRotaryEmbedding), 2);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kNormalization), 2);
}

TEST(BuiltinLlama, DecodesOneTokenBesideItsCache) {
  const Fused fused = fuse_builtin("llama-decode");
  EXPECT_GT(fused.flops, 0.100e9);
  EXPECT_LT(fused.flops, 0.108e9);
  EXPECT_EQ(fused.patterns.at(FusionPatternType::kAttention), 1);
  EXPECT_EQ(fused.model.graph.outputs().size(), 3u);
}

TEST(BuiltinModelNames, UnknownOnesListTheKnown) {
  const auto written = write_builtin_model("resnet", "/nonexistent/x.onnx");
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("resnet50"), std::string::npos);
}

}  // namespace
}  // namespace fuselab
