// SPDX-License-Identifier: Apache-2.0
// The user's key and the list of those whom the user trusts.
#include "db/connection/trust.h"

#include <sys/stat.h>

#include <fstream>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using TrustFiles = DatabaseTest;

TEST_F(TrustFiles, NothingIsMadeBeforeTheFirstSignature) {
  const auto keys = trust_->list();
  ASSERT_TRUE(succeeded(keys));
  EXPECT_TRUE(keys.value().empty());
  EXPECT_FALSE(std::filesystem::exists(trust_->folder()));
}

TEST_F(TrustFiles, TheKeyIsReadableByItsUserOnlyAndLasts) {
  const auto content = ContentHash::of("content");
  const auto signature = trust_->sign(content);
  ASSERT_TRUE(succeeded(signature));
  struct stat status {};
  ASSERT_EQ(::stat((trust_->folder() / "signing.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  Trust later(trust_->folder());
  EXPECT_TRUE(succeeded(later.check(content, signature.value())));
  EXPECT_EQ(later.public_key_text().value(), trust_->public_key_text().value());
}

// Nobody, not even root, makes a folder below a file.
TEST_F(TrustFiles, WhereNoKeyCanBeMadeTheFolderIsNamedAndTheWayOut) {
  const auto file = trust_->folder();
  std::ofstream(file) << "in the way";
  Trust blocked(file / "keys");
  EXPECT_TRUE(failed_with(blocked.sign(ContentHash::of("x")), ErrorCode::kIo, (file / "keys").string() + ": make it writable"));
  EXPECT_TRUE(failed_with(blocked.public_key_text(), ErrorCode::kIo, "XDG_CONFIG_HOME"));
}

TEST_F(TrustFiles, AKeyThatOthersMayReadIsRefusedWithTheReason) {
  ASSERT_TRUE(succeeded(trust_->public_key_text()));
  ASSERT_EQ(::chmod((trust_->folder() / "signing.key").c_str(), 0640), 0);
  Trust later(trust_->folder());
  EXPECT_TRUE(failed_with(later.sign(ContentHash::of("x")), ErrorCode::kUntrusted, "chmod 600"));
}

TEST_F(TrustFiles, ADamagedKeyIsRefusedAndKept) {
  ASSERT_TRUE(succeeded(trust_->public_key_text()));
  const auto file = trust_->folder() / "signing.key";
  std::ofstream(file, std::ios::trunc) << "fuselab-ed25519-secret 12";
  Trust later(trust_->folder());
  EXPECT_TRUE(failed_with(later.sign(ContentHash::of("x")), ErrorCode::kUntrusted, "not a signing key"));
  EXPECT_EQ(std::filesystem::file_size(file), 25u);
}

TEST_F(TrustFiles, ASignatureFitsOneContentOnly) {
  auto signature = trust_->sign(ContentHash::of("a"));
  ASSERT_TRUE(succeeded(signature));
  EXPECT_TRUE(succeeded(trust_->check(ContentHash::of("a"), signature.value())));
  EXPECT_TRUE(failed_with(trust_->check(ContentHash::of("b"), signature.value()), ErrorCode::kCorrupt, "does not fit"));
  signature.value().bytes[10] ^= 1;
  EXPECT_TRUE(failed_with(trust_->check(ContentHash::of("a"), signature.value()), ErrorCode::kCorrupt, "does not fit"));
}

TEST_F(TrustFiles, ColleaguesAreAddedNamedAndRemoved) {
  Trust colleague(folder_ / "colleague");
  const auto content = ContentHash::of("theirs");
  const auto signature = colleague.sign(content);
  ASSERT_TRUE(succeeded(signature));
  EXPECT_TRUE(failed_with(trust_->check(content, signature.value()), ErrorCode::kUntrusted, "whom you do not trust"));
  const auto added = trust_->add(colleague.public_key_text().value() + " Ada at work");
  ASSERT_TRUE(succeeded(added));
  EXPECT_EQ(added.value().name, "Ada at work");
  EXPECT_TRUE(succeeded(trust_->check(content, signature.value())));
  const auto keys = Trust(trust_->folder()).list();
  ASSERT_TRUE(succeeded(keys));
  ASSERT_EQ(keys.value().size(), 1u);
  EXPECT_EQ(keys.value()[0].public_key, signature.value().signer);
  EXPECT_TRUE(succeeded(trust_->remove(signature.value().signer)));
  EXPECT_FALSE(trust_->check(content, signature.value()).ok());
}

TEST_F(TrustFiles, OnlyPublicKeysAreAccepted) {
  for (const char* text : {"", "ssh-ed25519 AAAA", "fuselab-ed25519", "fuselab-ed25519 xyz", "fuselab-ed25519 1234"}) {
    EXPECT_TRUE(failed_with(trust_->add(text), ErrorCode::kInvalidArgument, "is not a public key")) << text;
  }
}

}  // namespace
}  // namespace fuselab::db
