// SPDX-License-Identifier: Apache-2.0
// Libraries that read a piece as an ONNX model, as fakes made here: what is taken for them, what is refused, and what they compute.
#include <gtest/gtest.h>

#include <functional>

#include "backends/library/plan_text.h"
#include "backends/onnxruntime/ort_library.h"
#include "backends/openvino/ov_library.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab {
namespace {

struct Runtime {
  const char* name;
  std::function<Result<std::shared_ptr<library::HostLibrary>>(const char* file)> open;
  const char* good;
  const char* version;
  std::vector<std::pair<const char*, const char*>> refused;  // file → reason
};
void PrintTo(const Runtime& runtime, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << runtime.name;
}

template <typename Library>
Result<std::shared_ptr<library::HostLibrary>> open_as(const char* file) {
  FL_TRY(std::shared_ptr<Library> opened, Library::open(loading::Surroundings{file, {}}));
  return std::shared_ptr<library::HostLibrary>(std::move(opened));
}

std::vector<Runtime> runtimes() {
  return {{"onnxruntime",
           open_as<onnxruntime::OrtLibrary>,
           FAKE_ONNXRUNTIME_GOOD,
           "1.99.0",
           {{"/nowhere/libonnxruntime.so.1", "/nowhere/libonnxruntime.so.1 not found"},
            {FAKE_ONNXRUNTIME_OLD, "is ONNX Runtime 1.16.3: 1.17 or newer is needed"},
            {FAKE_HOLLOW, "has no function OrtGetApiBase"}}},
          {"openvino",
           open_as<openvino::OvLibrary>,
           FAKE_OPENVINO_GOOD,
           "2026.1.0",
           {{"/nowhere/libopenvino_c.so", "/nowhere/libopenvino_c.so not found"},
            {FAKE_OPENVINO_OLD, "is OpenVINO 2023.1.0: 2026 or newer is needed"},
            {FAKE_OPENVINO_PARTIAL, "has no function ov_infer_request_infer"},
            {FAKE_OPENVINO_BARE, "the plugin for CPUs: Device with \"CPU\" name is not registered"}}}};
}

class ModelRuntimes : public testing::TestWithParam<Runtime> {};

INSTANTIATE_TEST_SUITE_P(Of, ModelRuntimes, testing::ValuesIn(runtimes()),
                         [](const auto& given) { return std::string(given.param.name); });

TEST_P(ModelRuntimes, SayTheirVersion) {
  const auto opened = GetParam().open(GetParam().good);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened.value()->facts().version, GetParam().version);
  EXPECT_EQ(opened.value()->facts().id, GetParam().name);
  EXPECT_FALSE(opened.value()->facts().build.empty()) << "two builds of a version would be one in a trial's identity";
}

TEST_P(ModelRuntimes, SayInOneLineWhyNot) {
  for (const auto& [file, reason] : GetParam().refused) {
    const auto opened = GetParam().open(file);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(opened.error().message.find(reason), std::string::npos) << opened.error().message;
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  }
}

TEST_P(ModelRuntimes, AreAskedAboutEachPiece) {
  const auto opened = GetParam().open(GetParam().good);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  library::HostLibrary& library = *opened.value();
  const auto refused = library.outline(parse_graph("graph(x: f32[3,4]) { y = Softmax(x); return y }").value());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.find("Softmax"), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  // What it computes wrong is not asked of it.
  const auto wrong = library.outline(parse_graph("graph(x: f32[3,4]) { y = ArgMax(x); return y }").value());
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("names another place where there is NaN"), std::string::npos) << wrong.error().message;
  const auto lossy =
      library.outline(parse_graph("graph(x: f32[1,1,4,4]) { y = MaxPool(x, kernel_shape=[2,2]); return y }").value());
  ASSERT_TRUE(lossy.ok()) << lossy.error().message;
  EXPECT_EQ(lossy.value().drawbacks, Drawbacks({Drawback::kNanLoss}));
  // What is beyond the tolerance is taken, and said.
  const std::string op = std::string(GetParam().name) == "openvino" ? "Erf" : "Sigmoid";
  const auto imprecise = library.outline(parse_graph("graph(x: f32[3,4]) { y = " + op + "(x); return y }").value());
  ASSERT_TRUE(imprecise.ok()) << imprecise.error().message;
  EXPECT_EQ(imprecise.value().drawbacks, Drawbacks({Drawback::kPrecisionLoss}));
  // Weights may be constants of the model, but not all of its inputs: it would be computed while it is read.
  const auto weighted =
      library.outline(parse_graph("graph(x: f32[3,4], w: param f32[4,2]) { y = MatMul(x, w); return y }").value());
  ASSERT_TRUE(weighted.ok());
  EXPECT_EQ(weighted.value().parameters.back().name, "weights");
  const auto constant =
      library.outline(parse_graph("graph(x: param f32[3,4], w: param f32[4,2]) { y = MatMul(x, w); return y }").value());
  ASSERT_TRUE(constant.ok());
  for (const Parameter& each : constant.value().parameters) EXPECT_NE(each.name, "weights");
}

TEST_P(ModelRuntimes, ComputeOnTheTensorsThatTheyAreBoundTo) {
  const auto opened = GetParam().open(GetParam().good);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto product = [](int depth) {
    const std::string k = std::to_string(depth);
    return parse_graph("graph(x: f32[1," + k + "], y: f32[" + k + ",2]) { p = MatMul(x, y); return p }").value();
  };
  const auto plan_over = [&](int depth) {
    return library::plan_for(opened.value()->facts(), LaunchConfig::parse("threads=1").value(), product(depth), {});
  };
  const auto built = opened.value()->build(plan_over(3));
  ASSERT_TRUE(built.ok()) << built.error().message;
  std::vector<float> x{1, 2, 3}, y{1, 4, 2, 5, 3, 6}, p(2);
  library::Places places;
  for (std::vector<float>* const each : {&x, &y, &p}) places.addresses.push_back(reinterpret_cast<std::byte*>(each->data()));
  places.versions.assign(3, 1);
  const auto bound = built.value()->bind(places);
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  ASSERT_TRUE(bound.value()->run().ok());
  EXPECT_EQ(p, (std::vector<float>{14, 32}));
  std::vector<float> long_x(19), long_y(38);
  const auto failing = opened.value()->build(plan_over(19));
  ASSERT_TRUE(failing.ok());
  places.addresses[0] = reinterpret_cast<std::byte*>(long_x.data());
  places.addresses[1] = reinterpret_cast<std::byte*>(long_y.data());
  const auto unlucky = failing.value()->bind(places);
  ASSERT_TRUE(unlucky.ok()) << unlucky.error().message;
  const Status ran = unlucky.value()->run();
  ASSERT_FALSE(ran.ok());
  EXPECT_NE(ran.error().message.find("no luck"), std::string::npos) << ran.error().message;
}

}  // namespace
}  // namespace fuselab
