// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/buffer_table.h"

#include <gmock/gmock.h>

namespace fuselab::gpu {
namespace {

using testing::HasSubstr;

struct FakeMemory {
  std::int64_t bytes;
  bool whole = true;
  Bytes size() const { return {bytes}; }
  Result<bool> intact() const { return whole; }
};

class BufferTableTest : public testing::Test {
 protected:
  BufferTable<FakeMemory> table_;
  Buffer input_ = table_.add({100}, BufferRole::kIn);
  Buffer output_ = table_.add({50}, BufferRole::kOut);
};

TEST_F(BufferTableTest, CountsWhatItHolds) {
  EXPECT_NE(input_.handle, output_.handle);
  EXPECT_EQ(table_.bytes(), 150);
  EXPECT_TRUE(table_.remove(input_, &FakeMemory::intact).ok());
  EXPECT_EQ(table_.bytes(), 50);
  EXPECT_EQ(table_.remove(input_, &FakeMemory::intact).error().message, "no such buffer: it was released before");
}

TEST_F(BufferTableTest, FindsPartsAndNothingPastTheEnd) {
  Buffer part = input_;
  part.offset = 60;
  part.size = {40};
  const auto place = table_.find(part, "abc:0");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place.value().offset, 60);
  part.size = {41};
  EXPECT_THAT(table_.find(part, "abc:0").error().message, HasSubstr("reaches past its allocation of 100 B"));
  part.handle = 77;
  EXPECT_EQ(table_.find(part, "abc:0").error().message, "no such buffer on abc:0");
}

TEST_F(BufferTableTest, CopiesNoMoreThanABufferHolds) {
  std::vector<std::byte> host(51);
  EXPECT_EQ(table_.find_for_upload(output_, host, "abc:0").error().message, "upload is larger than its buffer");
  EXPECT_EQ(table_.find_for_download(host, output_, "abc:0").error().message, "download is larger than its buffer");
  EXPECT_TRUE(table_.find_for_upload(input_, host, "abc:0").ok());
}

TEST_F(BufferTableTest, TellsOfDamageAfterAKernelRan) {
  table_.find(output_, "abc:0").value().memory.whole = false;
  EXPECT_EQ(table_.check(&FakeMemory::intact).error().message, "a kernel wrote outside the 'out' buffer of 50 B");
  EXPECT_TRUE(table_.checked());
  table_.set_checked(false);
  EXPECT_EQ(table_.remove(output_, &FakeMemory::intact).error().code, ErrorCode::kLaunchFailed);
}

TEST(GuardZone, DiffersByWhatKernelsDo) {
  EXPECT_NE(guard_zone<64>(access_of(BufferRole::kIn)), guard_zone<64>(access_of(BufferRole::kOut)));
}

}  // namespace
}  // namespace fuselab::gpu
