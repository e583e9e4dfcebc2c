// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/import/models/builtin_models.h"
#include "core/import/onnx_import.h"

namespace fuselab {
namespace {

TEST(ImportWithoutProtobuf, SaysWhatToInstall) {
  const auto model = import_onnx("model.onnx");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(model.error().message.find("libprotobuf-dev"), std::string::npos);
  EXPECT_EQ(import_onnx_bytes({}, {}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(import_tensor({}).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(builtin_models().empty());
  EXPECT_EQ(write_builtin_model("resnet50", "resnet50.onnx").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fuselab
