// SPDX-License-Identifier: Apache-2.0
// Every piece of the built-in models, fused and operator by operator, on every backend with a real device.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <span>

#include "backends/onnx/onnx_model.h"
#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "core/import/onnx_import.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"
#include "tests/conformance/model_pieces.h"

namespace fuselab::conformance {
namespace {

struct ModelCase {
  BackendCase backend;
  std::string model;
};
void PrintTo(const ModelCase& each, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << each.backend.id << " " << each.model;
}

std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases;
  for (const auto& backend : all_cases()) {
    if (backend.compiles_in_no_time) continue;  // synthetic: it would compare the reference with itself
    for (const auto& model : builtin_models()) cases.push_back({backend, model.id});
  }
  return cases;
}

bool runs(const Node& node) {
  return node.op != Op::kConstant && !is_view(node.op);
}

// What is asked of a backend for a model: each fused piece and each of its operators, once. Text → where it comes from.
std::map<std::string, std::string> kernels_of(const Graph& model) {
  std::map<std::string, std::string> kernels;
  const auto fused = fuse(model, options_for(OptimizationLevel::kO2));
  EXPECT_TRUE(fused.ok());
  for (const auto& piece : deduplicate(fused.value().operations)) {
    EXPECT_NE(piece.pattern, FusionPatternType::kOpaque) << piece.name;
    const auto graph = parse_graph(canonical_text(piece.graph)).value();
    std::vector<std::string> operators;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      if (!runs(graph.nodes()[i])) continue;
      const NodeId node{static_cast<std::uint32_t>(i)};
      operators.push_back(canonical_text(extract(graph, {&node, 1})));
    }
    if (operators.empty()) continue;  // nothing but views
    kernels.emplace(canonical_text(graph), piece.name);
    for (const auto& text : operators) kernels.emplace(text, piece.name + " unfused");
  }
  return kernels;
}

// The exception that names an operator of a piece, or null.
const Unsupported* exception_for(const BackendCase& backend, const Graph& piece) {
  for (const Node& node : piece.nodes()) {
    const auto dtype = name_of(piece.type(node.outputs.front()).dtype);
    if (const auto* found = find_unsupported(backend, std::string(name_of(node.op)) + "/" + std::string(dtype))) return found;
  }
  return nullptr;
}

class ModelOf : public testing::TestWithParam<ModelCase> {
 protected:
  void SetUp() override {
    opened_ = open_first_device(GetParam().backend);
    if (!opened_.why_not.empty()) GTEST_SKIP() << opened_.why_not;
    auto model = bound_model(GetParam().model);
    ASSERT_TRUE(model.ok()) << model.error().message;
    kernels_ = kernels_of(model.value());
    ASSERT_FALSE(kernels_.empty());
    model_ = parse_graph(canonical_text(model.value())).value();
  }

  bool may_refuse(const Graph& piece, const Support& support) const {
    const BackendCase& backend = GetParam().backend;
    return exception_for(backend, piece) != nullptr || (backend.takes_part && !support.why_not.empty());
  }

  Opened opened_;
  std::map<std::string, std::string> kernels_;
  Graph model_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelOf);  // a build without protobuf has no models
INSTANTIATE_TEST_SUITE_P(Builtin, ModelOf, testing::ValuesIn(model_cases()), [](const auto& given) {
  std::string name = given.param.backend.id + "_" + given.param.model;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(ModelOf, IsGeneratedPieceByPieceForEveryTarget) {
  auto targets = opened_.device.other_targets;
  targets.push_back(opened_.device.target);
  int supported = 0;
  for (const auto& [text, where] : kernels_) {
    const auto graph = parse_graph(text).value();
    for (const auto& target : targets) {
      SCOPED_TRACE(where + " for " + target.id + ": " + text);
      const auto support = opened_.backend->generator()->supports(graph, target);
      EXPECT_TRUE(support.yes || may_refuse(graph, support)) << support.why_not;
      if (!support.yes) continue;
      ++supported;
      const auto config = opened_.backend->generator()->default_config(graph, target);
      EXPECT_TRUE(opened_.backend->generator()->generate(graph, config, target).ok());
    }
  }
  EXPECT_GT(supported, 0);
}

// A sample that rotates with the seed; all of them in a full run.
TEST_P(ModelOf, MatchesTheReferencePieceByPiece) {
  const unsigned sampled = GetParam().backend.one_in > 1 ? 2 : 6;
  const auto count = static_cast<unsigned>(kernels_.size());
  const unsigned stride = run_everything() ? 1 : std::max(1U, count / sampled);
  unsigned position = 0;
  for (const auto& [text, where] : kernels_) {
    if (position++ % stride != sample_seed() % stride) continue;
    SCOPED_TRACE(where + ": " + text);
    const auto graph = parse_graph(text).value();
    const auto support = opened_.backend->generator()->supports(graph, opened_.device.target);
    if (!support.yes && may_refuse(graph, support)) continue;
    const auto verification = compile_and_verify(*opened_.backend, *opened_.runtime, graph);
    ASSERT_TRUE(verification.ok()) << verification.error().message;
    EXPECT_TRUE(verification.value().passed) << verification.value().detail;
    EXPECT_GT(verification.value().checked, 0);
  }
}

TEST(BuiltinModels, HaveAFormInOnnxThatIsReadBackAsTheSameGraph) {
  for (const auto& each : builtin_models()) {
    const auto graph = bound_model(each.id);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto model = onnx_model::write_onnx(graph.value());
    ASSERT_TRUE(model.ok()) << each.id << ": " << model.error().message;
    const auto read = import_onnx_bytes(std::as_bytes(std::span(model.value())), {});
    ASSERT_TRUE(read.ok()) << each.id << ": " << read.error().message;
    EXPECT_EQ(read.value().graph.nodes().size(), graph.value().nodes().size()) << each.id;
  }
}

// Large values and NaN, which are tried with each piece, come out of a whole model as nothing but NaN.
TEST_P(ModelOf, MatchesTheReferenceAsAWhole) {
  const auto patterns = opened_.backend->capabilities(opened_.device).patterns;
  const auto wanted = name_of(FusionPatternType::kWholeModel);
  if (std::find(patterns.begin(), patterns.end(), wanted) == patterns.end()) GTEST_SKIP() << "it takes no whole models";
  const auto support = opened_.backend->generator()->supports(model_, opened_.device.target);
  if (!support.yes) {
    const auto is_named = [&](const Node& node) { return support.why_not.starts_with(std::string(name_of(node.op)) + ": "); };
    EXPECT_TRUE(std::any_of(model_.nodes().begin(), model_.nodes().end(), is_named)) << support.why_not;
    return;
  }
  if (GetParam().model != "bert-layer" && !run_everything()) GTEST_SKIP() << "in a full run only: its reference takes long";
  const auto target = opened_.device.target;
  const auto config = opened_.backend->generator()->default_config(model_, target);
  const auto kernel = compile_kernel(*opened_.backend, model_, config, target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto run = KernelRun::create(*opened_.runtime, kernel.value(), model_);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run.value()->launch().ok());
  const auto verification = run.value()->verify();
  ASSERT_TRUE(verification.ok()) << verification.error().message;
  EXPECT_TRUE(verification.value().passed) << verification.value().detail;
  EXPECT_GT(verification.value().checked, 0);
}

}  // namespace
}  // namespace fuselab::conformance
