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

// Someone whose signatures are accepted.
struct TrustedKey {
  std::string public_key;  // 64 hexadecimal digits
  std::string name;        // as the list names it; "this user" for one's own key
};

struct Signature {
  std::string signer;  // public key, 64 hexadecimal digits
  std::array<std::uint8_t, 64> bytes{};
};

// Who this user is and whom this user trusts: an Ed25519 key and a list of public keys, both files of `folder`, both
// outside every database (decision 0002). Constructing it touches nothing; the key is made when something is first signed.
// Thread-safe. Errors: kUntrusted when the key file may be read by others or is damaged, kIo when the folder refuses.
class Trust {
 public:
  explicit Trust(std::filesystem::path folder);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  // "fuselab-ed25519 <64 hexadecimal digits>": what a colleague gives to add(). Makes the key when there is none.
  Result<std::string> public_key_text();
  // Accepts "fuselab-ed25519 <hex> [name]"; adding a key again renames it.
  Result<TrustedKey> add(std::string_view public_key_text);
  Status remove(std::string_view public_key_hex);
  // One's own key first (when it exists), then the list.
  Result<std::vector<TrustedKey>> list();

  // Signs with one's own key; makes it when there is none.
  Result<Signature> sign(const ContentHash& content);
  // kCorrupt when the signature does not fit, kUntrusted when nobody trusted made it; the message says which, never what to do.
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
