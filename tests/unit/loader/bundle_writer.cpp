// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/loader/bundle_writer.h"

#include <cstdlib>
#include <cstring>

#include "app/deploy/bundle/stored_zip.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab {
namespace {

using deploy::Bundle;
using deploy::BundleKernel;

BundleKernel kernel_of(Bundle& bundle, const std::string& entry) {
  BundleKernel kernel;
  kernel.file = bundle.keep_code(platform::read_file(SMALL_KERNEL, {1 << 24}).value());
  kernel.source = bundle.keep_source("// " + entry);
  kernel.entry = entry;
  kernel.target = "x86-64";
  kernel.configured = deploy::kTuned;
  kernel.threads = 2;
  kernel.tasks = kFloats;
  kernel.scratch_bytes = 4;
  for (const char* const role : {"in", "in", "out"}) kernel.arguments.push_back({role, role, "f32[16]", kFloatBytes, 64});
  return kernel;
}

deploy::BundleTensor tensor_of(const std::string& name, int value) {
  return {name, "f32", {kFloats}, kFloatBytes, value};
}

}  // namespace

Bundle small_bundle() {
  Bundle bundle;
  bundle.manifest.made_by = "a test";
  bundle.manifest.kernels = {kernel_of(bundle, "add"), kernel_of(bundle, "scale")};
  bundle.manifest.kernels[1].configured = deploy::kDefault;
  bundle.manifest.kernels[1].preparation = deploy::BundlePreparation{"twice", {1}, kFloats, kFloatBytes};
  deploy::BundleModel model;
  model.name = "small";
  model.binding = "batch=1";
  model.inputs = {tensor_of("x", 0)};
  model.outputs = {tensor_of("y", 4)};
  model.values = {{"input", 0, kFloatBytes},
                  {"weights", 0, kFloatBytes},
                  {"weights", kFloatBytes, kFloatBytes},
                  {"arena", 0, kFloatBytes},
                  {"output", 0, kFloatBytes}};
  model.steps = {{0, 0, {0, 1, 3}}, {0, 1, {3, 2, 4}}};
  model.arena_bytes = kFloatBytes;
  bundle.manifest.models = {model};
  deploy::BundleModel scaled;
  scaled.name = "scale";
  scaled.inputs = {tensor_of("x", 0), tensor_of("v", 1)};
  scaled.outputs = {tensor_of("y", 2)};
  scaled.values = {{"input", 0, kFloatBytes}, {"input", 1, kFloatBytes}, {"output", 0, kFloatBytes}};
  scaled.steps = {{0, 1, {0, 1, 2}}};
  deploy::BundlePiece piece;
  piece.name = "scale";
  piece.kernels = {1};
  piece.run = scaled;
  bundle.manifest.pieces = {piece};
  std::vector<float> weights;
  for (std::size_t i = 0; i < kFloats; ++i) weights.push_back(static_cast<float>(i + 1));
  weights.resize(2 * kFloats, 0.5F);
  bundle.weights.resize(4 * weights.size());
  std::memcpy(bundle.weights.data(), weights.data(), bundle.weights.size());
  return bundle;
}

void LoaderTest::SetUp() {
  std::string name = (std::filesystem::temp_directory_path() / "fuselab-loader-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
  trust_ = std::make_unique<db::Trust>(folder_ / "keys");
}

void LoaderTest::TearDown() {
  fl_close(bundle_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::byte> LoaderTest::written(Bundle bundle) {
  const auto file = folder_ / "small.fuselab";
  const Status done = deploy::write_bundle(file, bundle, *trust_);
  EXPECT_TRUE(done.ok()) << done.error().message;
  return platform::read_file(file, {1 << 24}).value();
}

std::vector<std::byte> LoaderTest::edited(const std::function<void(nlohmann::json&)>& edit) {
  const auto bytes = written(small_bundle());
  auto entries = deploy::read_stored_zip(bytes).value();
  const auto original = entries.at("manifest.json");
  auto json = nlohmann::json::parse(std::string(reinterpret_cast<const char*>(original.data()), original.size()));
  edit(json);
  const std::string text = json.dump();
  entries["manifest.json"] = std::as_bytes(std::span(text));
  entries.erase("signature");  // the caller opens it with FL_ALLOW_UNSIGNED
  return deploy::write_stored_zip(entries).value();
}

std::string LoaderTest::own_key() {
  return trust_->public_key_text().value();
}

fl_status LoaderTest::open(const std::vector<std::byte>& bytes, unsigned flags) {
  fl_close(bundle_);
  bundle_ = nullptr;
  opened_ = bytes;
  const std::string key = own_key();
  const char* const keys[] = {key.c_str()};
  return fl_open_memory(opened_.data(), opened_.size(), keys, 1, flags, &bundle_, &error_);
}

fl_status LoaderTest::open_untrusted(const std::vector<std::byte>& bytes, unsigned flags) {
  fl_close(bundle_);
  bundle_ = nullptr;
  opened_ = bytes;
  return fl_open_memory(opened_.data(), opened_.size(), nullptr, 0, flags, &bundle_, &error_);
}

}  // namespace fuselab
