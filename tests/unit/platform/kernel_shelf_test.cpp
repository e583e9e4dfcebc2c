// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/kernel_shelf.h"

#include <gtest/gtest.h>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

constexpr const char* kFlags = "-O3 -march=x86-64-v3";
const CompilerFingerprint kGcc{"gcc", "12.2.0"};

SourceModule source(const std::string& text) {
  SourceModule module;
  module.language = "c";
  module.text = text;
  module.entry = "f";
  return module;
}

KernelBinary binary(const std::string& bytes) {
  KernelBinary made;
  for (const char each : bytes) made.data.push_back(static_cast<std::byte>(each));
  return made;
}

class KernelShelfTest : public ::testing::Test {
 protected:
  void put(const SourceModule& text, const std::string& bytes) {
    auto writer = ShelfWriter::open(folder_.path(), kGcc);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    ASSERT_TRUE(writer.value().put(text, kFlags, binary(bytes)).ok());
    ASSERT_TRUE(writer.value().finish().ok());
  }
  ErrorCode refusal(const SourceModule& text, const std::string& flags = kFlags) {
    const auto shelf = KernelShelf::open(folder_.path());
    EXPECT_TRUE(shelf.ok());
    const auto found = shelf.value().find(text, flags);
    EXPECT_FALSE(found.ok());
    return found.ok() ? ErrorCode::kInternal : found.error().code;
  }

  ScratchFolder folder_;
};

TEST_F(KernelShelfTest, GivesBackWhatWasPutThereAndSaysWhoMadeIt) {
  put(source("int f;"), "one");
  put(source("int g;"), "two");
  const auto shelf = KernelShelf::open(folder_.path());
  ASSERT_TRUE(shelf.ok());
  EXPECT_EQ(shelf.value().size(), 2U);
  EXPECT_EQ(shelf.value().compiler().version, "12.2.0");
  const auto found = shelf.value().find(source("int g;"), kFlags);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().data, binary("two").data);
  EXPECT_EQ(found.value().metadata.at("compiler"), "gcc");
  EXPECT_EQ(found.value().metadata.at("compiled"), "ahead");
}

TEST_F(KernelShelfTest, LooksAtTheCodeNotAtTheCommentsAboveIt) {
  put(source("// threads=1\n// more\nint f;"), "one");
  const auto shelf = KernelShelf::open(folder_.path());
  ASSERT_TRUE(shelf.ok());
  EXPECT_TRUE(shelf.value().find(source("// threads=16\nint f;"), kFlags).ok());
  EXPECT_EQ(refusal(source("// threads=1\nint h;")), ErrorCode::kNotFound);
  EXPECT_EQ(refusal(source("// threads=1")), ErrorCode::kNotFound);
}

TEST_F(KernelShelfTest, HasNoKernelForOtherFlagsOrAnotherEntry) {
  put(source("int f;"), "one");
  EXPECT_EQ(refusal(source("int f;"), "-O1"), ErrorCode::kNotFound);
  SourceModule other = source("int f;");
  other.entry = "g";
  EXPECT_EQ(refusal(other), ErrorCode::kNotFound);
}

TEST_F(KernelShelfTest, RefusesABinaryThatSomebodyChanged) {
  put(source("int f;"), "one");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".so") folder_.write(entry.path().filename(), "two");
  }
  EXPECT_EQ(refusal(source("int f;")), ErrorCode::kCorrupt);
}

TEST_F(KernelShelfTest, RefusesAListThatIsDamagedAndFindsNoShelfWhereThereIsNone) {
  EXPECT_EQ(KernelShelf::open(folder_.path()).error().code, ErrorCode::kNotFound);
  folder_.write("list", "something else\n");
  EXPECT_EQ(KernelShelf::open(folder_.path()).error().code, ErrorCode::kCorrupt);
  folder_.write("list", "fuselab kernel shelf 1\ncompiler gcc 12.2.0\n1234 5678\n");
  EXPECT_EQ(KernelShelf::open(folder_.path()).error().code, ErrorCode::kCorrupt);
}

TEST_F(KernelShelfTest, HoldsTheWorkOfOneCompilerOnly) {
  put(source("int f;"), "one");
  const auto other = ShelfWriter::open(folder_.path(), {"clang", "14.0.6"});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(other.error().message.find("gcc 12.2.0"), std::string::npos) << other.error().message;
}

}  // namespace
}  // namespace fuselab::platform
