// SPDX-License-Identifier: Apache-2.0
#include "db/connection/trust.h"

#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "core/platform/files/atomic_file.h"

namespace fuselab::db {
namespace {

constexpr std::string_view kPublicTag = "fuselab-ed25519";
constexpr std::string_view kSecretTag = "fuselab-ed25519-secret";
constexpr Bytes kLargestFile{1 << 20};

bool sodium_ready() {
  static const bool ready = sodium_init() >= 0;
  return ready;
}

template <std::size_t Size>
std::string to_hex(const std::array<std::uint8_t, Size>& bytes) {
  std::string hex(2 * Size + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), bytes.data(), bytes.size());
  hex.pop_back();
  return hex;
}

template <std::size_t Size>
bool from_hex(std::string_view hex, std::array<std::uint8_t, Size>& bytes) {
  std::size_t length = 0;
  return hex.size() == 2 * Size &&
         sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr, &length, nullptr) == 0 && length == Size;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Result<std::string> read_text(const std::filesystem::path& path) {
  FL_TRY(const auto bytes, platform::read_file(path, kLargestFile));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// "fuselab-ed25519 <hex> [name …]"
Result<TrustedKey> parse_public_key(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string tag, hex, name;
  words >> tag >> hex;
  std::getline(words >> std::ws, name);
  std::transform(hex.begin(), hex.end(), hex.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> bytes{};
  if (tag != kPublicTag || !from_hex(hex, bytes)) {
    return invalid_argument("'" + std::string(text.substr(0, 100)) +
                            "' is not a public key; expected \"fuselab-ed25519 <64 hexadecimal digits> [name]\", as "
                            "`fuselab trust list` prints it");
  }
  return TrustedKey{hex, name.empty() ? hex.substr(0, 12) : name};
}

}  // namespace

struct Trust::SecretKey {
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> public_key{};
  ~SecretKey() { sodium_memzero(secret.data(), secret.size()); }
};

Trust::Trust(std::filesystem::path folder) : folder_(std::move(folder)) {}
Trust::~Trust() = default;

Status Trust::load_key(bool make_when_absent) {
  if (key_) return {};
  if (!sodium_ready()) return Error{ErrorCode::kInternal, "libsodium could not be initialised"};
  const auto path = folder_ / "signing.key";
  auto key = std::make_unique<SecretKey>();
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      return Error{ErrorCode::kUntrusted,
                   path.string() +
                       ": the signing key may be read by others, who could then sign in your name; run `chmod "
                       "600` on it if it was never exposed, else remove it and a new key is made"};
    }
    FL_TRY(std::string text, read_text(path));
    std::istringstream words(text);
    std::string tag, hex;
    words >> tag >> hex;
    sodium_memzero(text.data(), text.size());
    const bool whole = tag == kSecretTag && from_hex(hex, key->secret);
    sodium_memzero(hex.data(), hex.size());
    if (!whole) {
      return Error{ErrorCode::kUntrusted, path.string() + ": is not a signing key of Fuselab; remove it and a new key is made"};
    }
    crypto_sign_ed25519_sk_to_pk(key->public_key.data(), key->secret.data());
  } else {
    if (!make_when_absent) return Error{ErrorCode::kNotFound, path.string() + ": no signing key yet"};
    crypto_sign_keypair(key->public_key.data(), key->secret.data());
    std::string text = std::string(kSecretTag) + " " + to_hex(key->secret) + "\n";
    const Status written = platform::write_file_atomically(path, bytes_of(text), 0600);
    sodium_memzero(text.data(), text.size());
    if (!written.ok()) {
      return Error{written.error().code, written.error().message + "; the key that signs binaries belongs into " +
                                             folder_.string() + ": make it writable, or set XDG_CONFIG_HOME to a folder that is"};
    }
  }
  key_ = std::move(key);
  return {};
}

Result<std::string> Trust::public_key_text() {
  const std::lock_guard lock(mutex_);
  FL_TRY_VOID(load_key(true));
  return std::string(kPublicTag) + " " + to_hex(key_->public_key);
}

Result<TrustedKey> Trust::add(std::string_view public_key_text) {
  const std::lock_guard lock(mutex_);
  FL_TRY(TrustedKey added, parse_public_key(public_key_text));
  FL_TRY(auto keys, read_list());
  std::erase_if(keys, [&](const TrustedKey& key) { return key.public_key == added.public_key; });
  keys.push_back(added);
  FL_TRY_VOID(write_list(keys));
  return added;
}

Status Trust::remove(std::string_view public_key_hex) {
  const std::lock_guard lock(mutex_);
  FL_TRY(auto keys, read_list());
  if (std::erase_if(keys, [&](const TrustedKey& key) { return key.public_key == public_key_hex; }) == 0) {
    return Error{ErrorCode::kNotFound, "no trusted key " + std::string(public_key_hex)};
  }
  return write_list(keys);
}

Result<std::vector<TrustedKey>> Trust::list() {
  const std::lock_guard lock(mutex_);
  std::vector<TrustedKey> keys;
  if (const Status loaded = load_key(false); loaded.ok()) {
    keys.push_back({to_hex(key_->public_key), "this user"});
  } else if (loaded.error().code != ErrorCode::kNotFound) {
    return loaded.error();
  }
  FL_TRY(const auto others, read_list());
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

Result<Signature> Trust::sign(const ContentHash& content) {
  const std::lock_guard lock(mutex_);
  FL_TRY_VOID(load_key(true));
  Signature signature{to_hex(key_->public_key), {}};
  crypto_sign_detached(signature.bytes.data(), nullptr, content.bytes().data(), content.bytes().size(), key_->secret.data());
  return signature;
}

Status Trust::check(const ContentHash& content, const Signature& signature) {
  const std::lock_guard lock(mutex_);
  if (!sodium_ready()) return Error{ErrorCode::kInternal, "libsodium could not be initialised"};
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> signer{};
  if (!from_hex(signature.signer, signer) ||
      crypto_sign_verify_detached(signature.bytes.data(), content.bytes().data(), content.bytes().size(), signer.data()) != 0) {
    return Error{ErrorCode::kCorrupt, "its signature does not fit"};
  }
  if (load_key(false).ok() && key_->public_key == signer) return {};
  FL_TRY(const auto trusted, read_list());
  const bool known =
      std::any_of(trusted.begin(), trusted.end(), [&](const TrustedKey& key) { return key.public_key == signature.signer; });
  if (!known) return Error{ErrorCode::kUntrusted, "signed by " + signature.signer.substr(0, 12) + ", whom you do not trust"};
  return {};
}

Result<std::vector<TrustedKey>> Trust::read_list() const {
  std::vector<TrustedKey> keys;
  const auto path = folder_ / "trusted_keys";
  const auto text = read_text(path);
  if (!text.ok()) {
    if (text.error().code == ErrorCode::kNotFound) return keys;
    return text.error();
  }
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    auto key = parse_public_key(line);
    if (!key.ok()) return key.error().within(path.string());
    keys.push_back(std::move(key).value());
  }
  return keys;
}

Status Trust::write_list(const std::vector<TrustedKey>& keys) const {
  std::string text = "# Public keys whose binaries are accepted, one a line: fuselab-ed25519 <key> <name>\n";
  for (const TrustedKey& key : keys) text += std::string(kPublicTag) + " " + key.public_key + " " + key.name + "\n";
  return platform::write_file_atomically(folder_ / "trusted_keys", bytes_of(text), 0600);
}

}  // namespace fuselab::db
