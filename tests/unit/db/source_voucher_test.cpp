// SPDX-License-Identifier: Apache-2.0
// Whose word is taken for the source of a kernel that has no binary.
#include "db/connection/migrations.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class SourceVouchers : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    batch_.kernels = {testing::synthetic_kernel(1)};
    key_ = batch_.kernels[0].kernel_id();
    store();
  }
  void store(const std::string& name = "results.db", std::shared_ptr<Trust> trust = nullptr) {
    auto database = open(Access::kWrite, name, std::move(trust));
    ASSERT_TRUE(database);
    ASSERT_TRUE(succeeded(database->store().commit(batch_)));
  }
  // Why nobody vouches for the source.
  std::string unvouched(const std::string& name = "results.db") {
    auto database = open(Access::kRead, name);
    std::string why = "not asked";
    const auto kernel = database->queries().kernel(key_, &why);
    EXPECT_TRUE(succeeded(kernel) && kernel.value());
    return why;
  }
  VerifyReport verified(const std::string& name = "results.db") {
    auto database = open(Access::kRead, name);
    const auto report = database->verify();
    EXPECT_TRUE(succeeded(report));
    return report.ok() ? report.value() : VerifyReport();
  }

  StoreBatch batch_;
  std::string key_;
};

TEST_F(SourceVouchers, ASourceIsSignedWhenItIsStored) {
  EXPECT_EQ(unvouched(), "");
  EXPECT_TRUE(verified().unvouched.empty());
}

TEST_F(SourceVouchers, NobodyVouchesForARowThatNobodySigned) {
  edit("UPDATE kernel SET signer = '', signature = x''");
  EXPECT_EQ(unvouched(), "nobody signed its source");
  const VerifyReport report = verified();
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.unvouched, (std::map<std::string, std::int64_t>{{"", 1}}));
  store();
  EXPECT_EQ(unvouched(), "") << "what is made here again is signed";
}

TEST_F(SourceVouchers, ATrustedBinaryVouchesForTheSourceItWasMadeOf) {
  batch_.keep_binaries = {key_};
  store();
  edit("UPDATE kernel SET signer = '', signature = x''");
  EXPECT_EQ(unvouched(), "");
  EXPECT_TRUE(verified().unvouched.empty());
  edit("DELETE FROM kernel_binary");
  EXPECT_EQ(unvouched(), "nobody signed its source");
}

TEST_F(SourceVouchers, ASignatureThatDoesNotFitIsRefusedAndNotMerged) {
  for (const char* change :
       {"signature = zeroblob(64)", "signature = x'00'", "signer = ''", "signer = 'x'",
        "source_module = json_set(source_module, '$.language', 'cuda')",
        "abi = json_set(abi, '$.shared', '64'), source_module = json_set(source_module, '$.abi.shared', '64')"}) {
    SCOPED_TRACE(change);
    std::filesystem::copy_file(path(), path("kept.db"), std::filesystem::copy_options::overwrite_existing);
    edit(std::string("UPDATE kernel SET ") + change);
    {
      auto database = open(Access::kRead);
      EXPECT_TRUE(failed_with(database->queries().kernel(key_), ErrorCode::kUntrusted, "its signature does not fit its source"));
    }
    EXPECT_EQ(verified().problems.size(), 1U);
    {
      auto own = open(Access::kWrite, "own.db");
      EXPECT_TRUE(failed_with(own->merge(path()), ErrorCode::kCorrupt, "its signature does not fit its source"));
    }
    std::filesystem::copy_file(path("kept.db"), path(), std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(SourceVouchers, AStrangerCountsOnceTrusted) {
  auto stranger = std::make_shared<Trust>(folder_ / "stranger");
  store("theirs.db", stranger);
  auto own = open(Access::kWrite, "own.db");
  ASSERT_TRUE(own);
  const auto merged = own->merge(path("theirs.db"));
  ASSERT_TRUE(succeeded(merged));
  ASSERT_EQ(merged.value().unvouched.size(), 1U);
  const std::string signer = merged.value().unvouched.begin()->first;
  EXPECT_EQ(stranger->public_key_text().value(), "fuselab-ed25519 " + signer);
  const std::string why = unvouched("own.db");
  EXPECT_NE(why.find("its source was signed by " + signer.substr(0, 12) + ", whom you do not trust"), std::string::npos) << why;
  EXPECT_NE(why.find("fuselab trust add \"fuselab-ed25519 " + signer + "\""), std::string::npos) << why;
  EXPECT_EQ(verified("own.db").unvouched.at(signer), 1);
  ASSERT_TRUE(succeeded(trust_->add("fuselab-ed25519 " + signer)));
  EXPECT_EQ(unvouched("own.db"), "");
}

// A stranger's records under a key of ours would be signed by us otherwise, or would stand in the way of ours.
TEST_F(SourceVouchers, WhatIsMadeHereTakesThePlaceOfMergedRecords) {
  edit(
      "UPDATE kernel SET signer = '', signature = x'', abi = json_set(abi, '$.shared', '64'),"
      " source_module = json_set(source_module, '$.abi.shared', '64')");
  {
    auto own = open(Access::kWrite, "own.db");
    ASSERT_TRUE(succeeded(own->merge(path())));
  }
  EXPECT_EQ(unvouched("own.db"), "nobody signed its source");
  store("own.db");
  EXPECT_EQ(unvouched("own.db"), "");
  auto own = open(Access::kRead, "own.db");
  EXPECT_EQ(own->queries().kernel(key_).value()->abi, batch_.kernels[0].abi);
}

TEST_F(SourceVouchers, NobodyVouchesForRowsOfBeforeSourcesWereSigned) {
  const std::string before = "schema_7.db";
  { SQLite::Database(path(before).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
  migrate(*Connection::open(path(before), Connection::Mode::kReadWrite), 0, kSchemaOfVouchers - 1);
  edit(
      "ATTACH '" + path().string() +
          "' AS new; INSERT INTO source SELECT * FROM new.source; INSERT INTO kernel SELECT no, key, graph, backend, generator,"
          " generator_version, source, target, compiler, compiler_version, flags, library, library_version, config, launch_config,"
          " source_hash, source_module, abi, resources, generate_ns, compile_ns, binary_bytes, level, host, origin FROM new.kernel",
      before);
  const auto is_unsigned = [&](const std::string& name) {
    EXPECT_EQ(unvouched(name), "nobody signed its source");
    EXPECT_TRUE(verified(name).sound());
    EXPECT_EQ(verified(name).unvouched.at(""), 1);
  };
  is_unsigned(before);
  {
    auto merged = open(Access::kWrite, "merged.db");
    const auto report = merged->merge(path(before));
    ASSERT_TRUE(succeeded(report));
    EXPECT_EQ(report.value().unvouched.at(""), 1);
  }
  is_unsigned("merged.db");
  { ASSERT_TRUE(open(Access::kWrite, before)); }
  is_unsigned(before);
  store(before);
  EXPECT_EQ(unvouched(before), "") << "measured again, it is signed";
}

}  // namespace
}  // namespace fuselab::db
