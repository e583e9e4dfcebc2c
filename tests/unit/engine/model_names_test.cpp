// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/model_names.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/engine/subject/subject.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {
namespace {

TEST(ModelNames, AreShownBareWhileNoOtherModelHasTheName) {
  ModelNames names;
  names.add(stored_model("resnet50", ""));
  names.add(stored_model("model.onnx", "1a2b3c4d5e6f"));
  EXPECT_EQ(names.shown("resnet50"), "resnet50");
  EXPECT_EQ(names.shown("model.onnx@1a2b3c4d"), "model.onnx");
  names.add("model.onnx@1a2b3c4d");
  EXPECT_EQ(names.shown("model.onnx@1a2b3c4d"), "model.onnx") << "the same model twice";
  names.add("model.onnx@99999999");
  EXPECT_EQ(names.shown("model.onnx@1a2b3c4d"), "model.onnx@1a2b3c4d");
  EXPECT_EQ(names.shown("model.onnx@99999999"), "model.onnx@99999999");
  EXPECT_EQ(names.shown("resnet50"), "resnet50");
}

TEST(ModelNames, LeaveNamesAloneThatOnlyLookAlike) {
  ModelNames names;
  for (const char* name : {"a@b", "a@1a2b3c4", "a@1a2b3c4dd", "a@1a2b3c4x", "@"}) {
    names.add(name);
    EXPECT_EQ(names.shown(name), name);
  }
}

TEST(ModelNames, RowsOfEarlierVersionsHaveNoKey) {
  ModelNames names;
  names.add("model.onnx");
  EXPECT_EQ(names.shown("model.onnx"), "model.onnx");
  names.add("model.onnx@1a2b3c4d");
  EXPECT_EQ(names.shown("model.onnx"), "model.onnx");
  EXPECT_EQ(names.shown("model.onnx@1a2b3c4d"), "model.onnx@1a2b3c4d");
}

std::string content_of(const std::filesystem::path& file, const std::string& binding) {
  const auto subjects = resolve_subject({}, file.string(), binding, DType::kF32);
  EXPECT_TRUE(subjects.ok()) << subjects.error().message;
  return subjects.ok() ? subjects.value().front().content : "";
}

TEST(ModelNames, FilesAreKnownByTheirGraphsAndNotByTheirExtents) {
  const auto folder = platform::TemporaryFolder::create("fuselab-model-names");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto file = [&](const char* name, const char* text) {
    const auto path = folder.value().path() / name / "m.graph";
    std::filesystem::create_directory(path.parent_path());
    std::ofstream(path) << text;
    return path;
  };
  const auto relu = file("relu", "graph(x: f32[n,8]) { y = Relu(x); return y }");
  const auto same = file("same", "graph(z: f32[n,8]) { out = Relu(z); return out }");
  const auto exp = file("exp", "graph(x: f32[n,8]) { y = Exp(x); return y }");
  EXPECT_FALSE(content_of(relu, "n=4").empty());
  EXPECT_EQ(content_of(relu, "n=4"), content_of(relu, "n=8"));
  EXPECT_EQ(content_of(relu, "n=4"), content_of(same, "n=4"));
  EXPECT_NE(content_of(relu, "n=4"), content_of(exp, "n=4"));
  EXPECT_EQ(resolve_subject({}, "w1", "", DType::kF32).value().front().content, "") << "a workload is what its name says";
}

}  // namespace
}  // namespace fuselab::engine
