// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/content_hash.h"
#include "core/base/result.h"

namespace fuselab::db {

// A person whose signatures are accepted.
struct TrustedKey {
  std::string public_key;  // 64 hexadecimal digits
  std::string name;        // name in the list; "this user" for the user's own key
};

struct Signature {
  std::string signer;  // public key, 64 hexadecimal digits
  std::array<std::uint8_t, 64> bytes{};
};

// The key of this user and the keys that this user trusts: an Ed25519 key and a list of public keys, both files of `folder`, both
// outside every database (decision 0002). Constructing it touches nothing; the key is made when something is first signed.
// Thread-safe.
// Fails with kUntrusted when the key file may be read by others or is damaged, and with kIo when the folder refuses.
class Trust {
 public:
  explicit Trust(std::filesystem::path folder);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  // Returns "fuselab-ed25519 <64 hexadecimal digits>", which another user passes to add(). Makes the key when there is none.
  Result<std::string> public_key_text();
  // Accepts "fuselab-ed25519 <hex> [name]"; adding a key again renames it.
  Result<TrustedKey> add(std::string_view public_key_text);
  Status remove(std::string_view public_key_hex);
  // Returns the user's own key first (when it exists), then the list.
  Result<std::vector<TrustedKey>> list();

  // Signs with the user's own key; makes it when there is none.
  Result<Signature> sign(const ContentHash& content);
  // Checks a signature.
  // Fails with kCorrupt when it does not fit and with kUntrusted when its signer is not trusted; the message says which, but gives
  // no advice: "its signature does not fit", "signed by 0123456789ab, whom you do not trust".
  Status check(const ContentHash& content, const Signature& signature);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct SecretKey;
  Status load_key(bool make_when_absent);
  Result<std::vector<TrustedKey>> read_list() const;
  Status write_list(const std::vector<TrustedKey>& keys) const;

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::unique_ptr<SecretKey> key_;
};

}  // namespace fuselab::db
