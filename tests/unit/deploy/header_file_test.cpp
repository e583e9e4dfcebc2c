// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/header_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "core/platform/files/temporary_folder.h"

namespace fuselab::deploy {
namespace {

using testing::HasSubstr;

BundleManifest tuned_manifest() {
  BundleManifest manifest;
  manifest.made_by = "a */ test";
  manifest.environment = {"cpu:0", "A Processor", "x86-64-v4", "warm", "kept"};
  BundleKernel kernel;
  kernel.target = "x86-64-v4";
  kernel.config = "store=stream,threads=2,vector=16";
  BundlePiece piece;
  piece.name = "layer/MatMul+Add";
  piece.graph = "graph(x: f32[2]) { y = Cast(x, to=\"f16\"); return y }";
  piece.configured = kTuned;
  piece.kernels = {0};
  piece.figure = BundleFigure{1500.25, 1400, 1600, true};
  BundlePiece twin = piece;  // of another name that is spelled alike
  twin.name = "layer/MatMul Add";
  twin.kernels = {0, 0};
  twin.figure.reset();
  BundleModel model;
  model.name = "bert-layer";
  model.binding = "batch=1";
  model.steps = {{0, 0, {}}, {1, 0, {}}, {1, 0, {}}, {0, 0, {}}};
  manifest.kernels = {kernel};
  manifest.pieces = {piece, twin};
  manifest.models = {model};
  return manifest;
}

TEST(HeaderFile, HasAMacroForEachParameter) {
  const std::string text = header_text(tuned_manifest(), "tuned");
  EXPECT_THAT(text, HasSubstr("#define FUSELAB_BERT_LAYER_BATCH_1_LAYER_MATMUL_ADD_THREADS 2\n"));
  EXPECT_THAT(text, HasSubstr("#define FUSELAB_BERT_LAYER_BATCH_1_LAYER_MATMUL_ADD_STORE \"stream\"\n"));
  EXPECT_THAT(text, HasSubstr("#define FUSELAB_BERT_LAYER_BATCH_1_LAYER_MATMUL_ADD_2_1_VECTOR 16\n"));
  EXPECT_THAT(text, HasSubstr("Cast(x, to=\\\"f16\\\")"));
  EXPECT_THAT(text, HasSubstr("1500.25, 1400, 1600}"));
  EXPECT_EQ(text, header_text(tuned_manifest(), "tuned"));
}

// A program includes it and reads the table and a macro.
TEST(HeaderFile, IsC) {
  const auto folder = platform::TemporaryFolder::create("fuselab-header");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const std::filesystem::path at = folder.value().path();
  ASSERT_TRUE(write_header(at / "tuned.h", tuned_manifest()).ok());
  ASSERT_TRUE(write_header(at / "other.h", tuned_manifest()).ok());
  std::ofstream(at / "use.c")
      << "#include <stddef.h>\n#include <string.h>\n#include \"tuned.h\"\n#include \"other.h\"\nint main(void) {\n"
         "  size_t count = 0;\n  while (fuselab_other_kernels[count].model) ++count;\n"
         "  return count == 3 && strcmp(fuselab_tuned_kernels[0].configured, \"tuned\") == 0 &&\n"
         "         FUSELAB_BERT_LAYER_BATCH_1_LAYER_MATMUL_ADD_THREADS == 2 ? 0 : 1;\n}\n";
  const std::string compile = "cc -std=c11 -Wall -Wextra -Werror -o " + (at / "use").string() + " " + (at / "use.c").string();
  ASSERT_EQ(std::system(compile.c_str()), 0);
  EXPECT_EQ(std::system((at / "use").c_str()), 0);
}

TEST(HeaderFile, LeavesFilesOfOthersAlone) {
  const auto folder = platform::TemporaryFolder::create("fuselab-header");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const std::filesystem::path file = folder.value().path() / "mine.h";
  std::ofstream(file) << "int mine;\n";
  const Status written = write_header(file, tuned_manifest());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
  std::filesystem::remove(file);
  ASSERT_TRUE(write_header(file, tuned_manifest()).ok());
  EXPECT_TRUE(write_header(file, tuned_manifest()).ok()) << "its own may be replaced";
}

}  // namespace
}  // namespace fuselab::deploy
