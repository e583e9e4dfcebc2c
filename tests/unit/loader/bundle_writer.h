// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <fuselab_loader.h>
#include <gtest/gtest.h>

#include "app/deploy/bundle/bundle_file.h"

namespace fuselab {

constexpr std::size_t kFloats = 16;
constexpr std::int64_t kFloatBytes = 4 * kFloats;

// y = (x + w) * 2 v, in two steps: x is bound, w and v are weights 1, 2, … and 0.5. Steps share two threads. Its second step is
// the piece "scale" as well, y = x * 2 v, whose operands are both bound.
deploy::Bundle small_bundle();

// Signed bundles of the small model in a folder that goes with the test.
class LoaderTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Returns the file's bytes. The second edits the manifest as JSON before it is signed, for what no export writes.
  std::vector<std::byte> written(deploy::Bundle bundle);
  std::vector<std::byte> edited(const std::function<void(nlohmann::json&)>& edit);
  std::string own_key();

  // Opens bytes; returns the status and keeps the line in `error_`.
  fl_status open(const std::vector<std::byte>& bytes, unsigned flags = 0);
  // Opens with no trusted key.
  fl_status open_untrusted(const std::vector<std::byte>& bytes, unsigned flags = 0);

  std::filesystem::path folder_;
  std::unique_ptr<db::Trust> trust_;
  std::vector<std::byte> opened_;  // stays while the bundle is open
  fl_bundle* bundle_ = nullptr;
  fl_error error_{};
};

}  // namespace fuselab
