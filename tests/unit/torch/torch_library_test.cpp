// SPDX-License-Identifier: Apache-2.0
// What is taken for PyTorch, as fakes made here, and what is refused of one that is absent or incomplete.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backends/torch/torch_library.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::torch {
namespace {

Result<std::shared_ptr<TorchLibrary>> open(const char* file) {
  return TorchLibrary::open(loading::Surroundings{file, {}});
}

TEST(TorchLibrary, SaysItsVersionAndHowItComputes) {
  const auto opened = open(FAKE_TORCH_GOOD);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto& facts = opened.value()->facts();
  EXPECT_EQ(facts.name, "PyTorch");
  EXPECT_EQ(facts.version, "2.15.0");
  EXPECT_EQ(facts.settings, "eager");
  EXPECT_EQ(facts.threads, "OpenMP, not pinned");
  EXPECT_EQ(opened.value()->number_of(DType::kBF16), 15);
}

TEST(TorchLibrary, TurnsGradientsOffForTheThreadThatRuns) {
  const auto opened = open(FAKE_TORCH_GOOD);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_TRUE(opened.value()->use_threads(1).ok());
  const auto shared = loading::open_library(FAKE_TORCH_GOOD);
  EXPECT_FALSE(reinterpret_cast<bool (*)()>(shared.symbol("fake_torch_gradients"))());
  EXPECT_EQ(opened.value()->use_threads(4096).error().code, ErrorCode::kUnsupported);
}

// Two of them in one process end it: what registers itself in PyTorch's dispatcher would do so twice.
TEST(TorchLibrary, IsOpenedOnceThoughItIsHereTwice) {
  const auto folder = platform::TemporaryFolder::create("fuselab-test");
  ASSERT_TRUE(folder.ok());
  const auto copy_in = [&](const char* name) {
    const std::filesystem::path inside = folder.value().path() / name;
    std::filesystem::create_directory(inside);
    std::filesystem::copy_file(FAKE_TORCH_GOOD, inside / "libtorch_cpu.so");
    return (inside / "libtorch_cpu.so").string();
  };
  const auto first = loading::open_library(copy_in("first")), second = loading::open_library(copy_in("second"));
  ASSERT_NE(first.handle, nullptr) << first.problem;
  EXPECT_EQ(second.handle, first.handle);
  EXPECT_EQ(second.path, first.path);
  const std::string other = copy_in("other");
  std::ofstream(other, std::ios::app) << "another build";
  EXPECT_NE(loading::open_library(other).problem.find("another build than " + first.path), std::string::npos);
}

TEST(TorchLibrary, SaysInOneLineWhyNot) {
  const std::pair<const char*, const char*> cases[] = {{"/nowhere/libtorch_cpu.so", "/nowhere/libtorch_cpu.so not found"},
                                                       {FAKE_TORCH_PARTIAL, "has no function torch_list_push_back"}};
  for (const auto& [file, reason] : cases) {
    const auto opened = open(file);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(opened.error().message.find(reason), std::string::npos) << opened.error().message;
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  }
}

// Before 2.13 nobody tells the reason of an error, and boxes are made by whoever passes them.
TEST(TorchLibrary, TakesAnOlderOneThatLacksTwoFunctions) {
  const auto opened = open(FAKE_TORCH_OLDER);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened.value()->facts().version, "2.11.0");
  EXPECT_EQ(opened.value()->calls().new_box, nullptr);
  EXPECT_EQ(opened.value()->check(1, "aten::mm").error().message, "aten::mm: PyTorch 2.11.0 gives no reason");
}

}  // namespace
}  // namespace fuselab::torch
