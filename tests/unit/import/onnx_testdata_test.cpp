// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "core/fusion/partition/fusion_engine.h"
#include "core/import/onnx_import.h"

namespace fuselab {
namespace {

// Where Debian's libonnx-testdata puts the models that ONNX itself is tested with.
constexpr const char* kModels = "/usr/share/libonnx-testdata/data";

struct Tally {
  int whole = 0;    // every operator understood
  int partial = 0;  // some barriers
  int refused = 0;
  int files() const { return whole + partial + refused; }
};

void take(const std::filesystem::path& file, Tally& tally, std::map<std::string, int>& errors) {
  const auto model = import_onnx(file);
  if (!model.ok()) {
    ++tally.refused;
    EXPECT_FALSE(model.error().message.empty());
    ++errors[file.parent_path().filename().string() + ": " + model.error().message];
    return;
  }
  ++(model.value().opaque_nodes == 0 ? tally.whole : tally.partial);
  const auto pieces = fuse(model.value().graph, {});
  ASSERT_TRUE(pieces.ok()) << file;
  for (const auto& rejected : pieces.value().rejected) EXPECT_FALSE(rejected.reason.empty()) << file;
}

class OnnxTestData : public ::testing::TestWithParam<const char*> {};

// Valid models are never refused for what we do not know, only turned into barriers.
TEST_P(OnnxTestData, IsReadAndFused) {
  const auto folder = std::filesystem::path(kModels) / GetParam();
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " is not there: install libonnx-testdata";
  Tally tally;
  std::map<std::string, int> errors;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (std::filesystem::exists(entry.path() / "model.onnx")) take(entry.path() / "model.onnx", tally, errors);
  }
  std::cout << GetParam() << ": " << tally.files() << " models, " << tally.whole << " whole, " << tally.partial
            << " with barriers, " << tally.refused << " refused\n";
  for (const auto& [error, count] : errors) std::cout << "  " << error << '\n';
  ASSERT_GT(tally.files(), 0);
  EXPECT_EQ(tally.refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Folders, OnnxTestData, ::testing::Values("simple", "pytorch-converted", "pytorch-operator", "node"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace fuselab
