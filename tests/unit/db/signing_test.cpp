// SPDX-License-Identifier: Apache-2.0
// What was edited behind the program's back is never handed out.
#include "db/rows/kernel_rows.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class Signing : public DatabaseTest {
 protected:
  // Two signed kernels, the database closed again.
  void SetUp() override {
    DatabaseTest::SetUp();
    auto database = open();
    ASSERT_TRUE(database);
    StoreBatch batch;
    batch.kernels = {testing::synthetic_kernel(1), testing::synthetic_kernel(2)};
    key_ = batch.kernels[0].kernel_id();
    other_ = batch.kernels[1].kernel_id();
    batch.keep_binaries = {key_, other_};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }

  Result<std::optional<CompiledKernel>> read(std::shared_ptr<Trust> trust = nullptr) {
    auto database = open(Access::kRead, "results.db", std::move(trust));
    return database->queries().kernel(key_);
  }
  Result<std::optional<StoredSource>> source(std::shared_ptr<Trust> trust = nullptr) {
    auto database = open(Access::kRead, "results.db", std::move(trust));
    return database->queries().source(key_);
  }
  std::string number(const std::string& key) const { return "(SELECT no FROM kernel WHERE key = '" + key + "')"; }

  std::string key_, other_;
};

TEST_F(Signing, OwnBinariesAreServed) {
  const auto kernel = read();
  ASSERT_TRUE(succeeded(kernel) && kernel.value());
  EXPECT_EQ(kernel.value()->binary.data, testing::synthetic_kernel(1).binary.data);
}

TEST_F(Signing, ABinarySwappedForAnotherKernelsIsRefused) {
  edit(
      "UPDATE kernel_binary SET (format, metadata, hash, bytes, data, signer, signature) = (SELECT format, metadata, hash, bytes, "
      "data,"
      " signer, signature FROM kernel_binary WHERE kernel = " +
      number(other_) + ") WHERE kernel = " + number(key_));
  const auto refused = read();
  EXPECT_TRUE(failed_with(refused, ErrorCode::kUntrusted, "fuselab tune --remeasure"));
  EXPECT_EQ(refused.error().message.find("trust add"), std::string::npos) << "no trust mends a signature that does not fit";
}

TEST_F(Signing, AnEditedBinaryIsRefused) {
  edit("UPDATE kernel_binary SET data = (SELECT data FROM kernel_binary WHERE kernel = " + number(other_) +
       ") WHERE kernel = " + number(key_));
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, "not the one that was signed"));
}

TEST_F(Signing, AnEditedSignatureSignerOrCallRecordIsRefused) {
  edit("UPDATE kernel_binary SET signer = CASE substr(signer, 1, 1) WHEN '0' THEN '1' ELSE '0' END || substr(signer, 2)");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, ""));
  edit("UPDATE kernel_binary SET signature = zeroblob(64)");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, ""));
  edit("UPDATE kernel_binary SET signature = x'00'");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, "damaged"));
}

TEST_F(Signing, AnEditedCallRecordIsRefused) {
  edit(
      "UPDATE kernel SET abi = replace(abi, '\"alignment\":32', '\"alignment\":64'),"
      " source_module = replace(source_module, '\"alignment\":32', '\"alignment\":64')");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, "signature does not fit"));
}

TEST_F(Signing, AnEditedIdentityIsCorrupt) {
  edit("UPDATE kernel SET flags = '-Ofast'");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kCorrupt, "its identity"));
}

// One statement of a sqlite3 shell each. What a kernel's identity or call record says twice must agree; what stands beside a kept
// binary is signed with it.
TEST_F(Signing, NoEditedColumnOfAKernelIsServed) {
  const std::pair<const char*, const char*> edits[] = {
      {"launch_config = json_set(launch_config, '$.vector', 8)", "its launch configuration"},
      {"launch_config = json_set(launch_config, '$.vector', '1')", "its launch configuration"},
      {"launch_config = json_set(launch_config, '$.threads', 1)", "its launch configuration"},
      {"launch_config = json_remove(launch_config, '$.order')", "its launch configuration"},
      {"launch_config = '[]'", "its launch configuration"},
      {"launch_config = 'x'", "its source or call record"},
      {"config = 'order=rows,vector=9'", "its identity"},
      {"source_module = json_set(source_module, '$.generator', 'x')", "its generator"},
      {"source_module = json_set(source_module, '$.generator_version', '9')", "its generator"},
      {"source_module = json_set(source_module, '$.entry', 'other')", "its call record"},
      {"source_module = json_set(source_module, '$.abi.grid[0]', '1')", "its call record"},
      {"source_module = json_set(source_module, '$.language', 'cuda')", "signature does not fit"},
      {"abi = json_set(abi, '$.entry', 'other')", "its call record"},
      {"abi = json_set(abi, '$.arguments[1].type.dims[0]', 4)", "its call record"},
      {"abi = json_set(abi, '$.shared', '64')", "its call record"},
      {"resources = json_set(resources, '$.spill_bytes', 7)", "signature does not fit"},
  };
  for (const auto& [column, part] : edits) {
    SCOPED_TRACE(column);
    std::filesystem::copy_file(path(), path("kept.db"), std::filesystem::copy_options::overwrite_existing);
    edit(std::string("UPDATE kernel SET ") + column + " WHERE key = '" + key_ + "'");
    const auto served = read();
    ASSERT_FALSE(served.ok());
    EXPECT_NE(served.error().message.find(part), std::string::npos) << served.error().message;
    {
      auto database = open(Access::kRead);
      const auto report = database->verify();
      ASSERT_TRUE(succeeded(report));
      ASSERT_EQ(report.value().problems.size(), 1U);
      EXPECT_NE(report.value().problems[0].find(part), std::string::npos) << report.value().problems[0];
    }
    std::filesystem::copy_file(path("kept.db"), path(), std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(Signing, AnEditedRecordOfABinaryIsRefused) {
  edit("UPDATE kernel_binary SET metadata = json_set(metadata, '$.flags', '-O0')");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, "signature does not fit"));
}

TEST_F(Signing, BinariesSignedBeforeTheirRecordsWereAreStillServed) {
  const CompiledKernel kernel = testing::synthetic_kernel(1);
  SignedBinary content{key_, ContentHash::of(kernel.binary.data), kernel.binary.format, "", "", "", ""};
  {
    SQLite::Database shell(path().string(), SQLite::OPEN_READWRITE);
    content.abi = shell.execAndGet("SELECT abi FROM kernel WHERE key = '" + key_ + "'").getString();
    const auto signature = trust_->sign(content.hash_without_records());
    ASSERT_TRUE(succeeded(signature));
    SQLite::Statement update(shell, "UPDATE kernel_binary SET signature = ? WHERE kernel = " + number(key_));
    update.bind(1, signature.value().bytes.data(), static_cast<int>(signature.value().bytes.size()));
    update.exec();
  }
  EXPECT_TRUE(succeeded(read()));
  edit("UPDATE kernel SET abi = json_set(abi, '$.shared', '64'), source_module = json_set(source_module, '$.abi.shared', '64')");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kUntrusted, "signature does not fit"));
}

TEST_F(Signing, AnEditedSourceIsCorrupt) {
  edit("UPDATE kernel SET source_hash = (SELECT source_hash FROM kernel WHERE key = '" + other_ + "') WHERE key = '" + key_ + "'");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kCorrupt, "its source"));
  edit("UPDATE source SET text = x'1234'");
  EXPECT_TRUE(failed_with(read(), ErrorCode::kCorrupt, "its source"));
}

TEST_F(Signing, AStrangerIsRefusedUntilTrusted) {
  auto stranger = std::make_shared<Trust>(folder_ / "stranger");
  const auto refused = read(stranger);
  ASSERT_TRUE(failed_with(refused, ErrorCode::kUntrusted, "fuselab trust add \"fuselab-ed25519 "));
  ASSERT_TRUE(succeeded(stranger->add(trust_->public_key_text().value() + " Bob")));
  EXPECT_TRUE(succeeded(read(stranger)));
}

TEST_F(Signing, AStrangersTextIsReadAlthoughTheBinaryIsRefused) {
  auto stranger = std::make_shared<Trust>(folder_ / "stranger");
  ASSERT_FALSE(read(stranger).ok());
  const auto text = source(stranger);
  ASSERT_TRUE(succeeded(text));
  EXPECT_EQ(text.value()->text, testing::synthetic_kernel(1).source.text);
  EXPECT_EQ("fuselab-ed25519 " + text.value()->stranger, trust_->public_key_text().value());
  const auto own = source();
  ASSERT_TRUE(succeeded(own));
  EXPECT_EQ(own.value()->stranger, "") << "one's own key needs no trust";
  // A signature that does not fit is no stranger's: its text is no evidence of anything.
  edit("UPDATE kernel_binary SET signature = zeroblob(64)");
  EXPECT_TRUE(failed_with(source(stranger), ErrorCode::kUntrusted, "signature does not fit"));
}

TEST_F(Signing, RecompilingReplacesARefusedBinary) {
  edit("UPDATE kernel_binary SET signature = zeroblob(64)");
  ASSERT_FALSE(read().ok());
  StoreBatch batch;
  batch.kernels = {testing::synthetic_kernel(1)};
  batch.keep_binaries = {key_};
  {
    auto database = open();
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  EXPECT_TRUE(succeeded(read()));
}

TEST_F(Signing, AKernelMustCarryTheSourceItsIdentityNames) {
  auto database = open();
  StoreBatch batch;
  batch.kernels = {testing::synthetic_kernel(3)};
  batch.kernels[0].source.text += "// edited";
  EXPECT_TRUE(failed_with(database->store().commit(batch), ErrorCode::kInvalidArgument, "another source"));
}

TEST_F(Signing, KeptBinariesMustBeInTheBatch) {
  auto database = open();
  StoreBatch batch;
  batch.keep_binaries = {"feed"};
  EXPECT_TRUE(failed_with(database->store().commit(batch), ErrorCode::kInvalidArgument, "does not carry"));
}

}  // namespace
}  // namespace fuselab::db
