// SPDX-License-Identifier: Apache-2.0
#include "app/wire/limited_cbor.h"

#include <cstdint>

namespace fuselab::wire {
namespace {

using Json = nlohmann::json;

constexpr int kMaximumDepth = 64;
constexpr std::int64_t kMaximumValues = 8'000'000;  // each costs some 16 bytes; a block of 64 plans has a few thousand

// nlohmann's own builder of values, behind two limits. Its parser recurses once per level, so refusing a level bounds the stack.
class LimitedBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit LimitedBuilder(Json& root) : builder_(root, true) {}

  bool null() override { return count() && builder_.null(); }
  bool boolean(bool value) override { return count() && builder_.boolean(value); }
  bool number_integer(number_integer_t value) override { return count() && builder_.number_integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return count() && builder_.number_unsigned(value); }
  bool number_float(number_float_t value, const string_t& text) override { return count() && builder_.number_float(value, text); }
  bool string(string_t& value) override { return count() && builder_.string(value); }
  bool binary(binary_t& value) override { return count() && builder_.binary(value); }
  bool start_object(std::size_t size) override { return enter() && builder_.start_object(size); }
  bool key(string_t& name) override { return builder_.key(name); }
  bool end_object() override { return leave() && builder_.end_object(); }
  bool start_array(std::size_t size) override { return enter() && builder_.start_array(size); }
  bool end_array() override { return leave() && builder_.end_array(); }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& failure) override {
    return builder_.parse_error(position, token, failure);  // throws
  }

 private:
  bool count() { return ++values_ <= kMaximumValues; }
  bool enter() { return ++depth_ <= kMaximumDepth && count(); }
  bool leave() {
    --depth_;
    return true;
  }

  nlohmann::detail::json_sax_dom_parser<Json> builder_;
  std::int64_t values_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Json> parse_limited_cbor(std::span<const std::byte> bytes) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  Json root;
  LimitedBuilder builder(root);
  try {
    if (!Json::sax_parse(first, first + bytes.size(), &builder, Json::input_format_t::cbor)) {
      return Error{ErrorCode::kCorrupt, "a message is nested too deeply or has too many values"};
    }
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kCorrupt, std::string("a message cannot be read: ") + failure.what()};
  }
  return root;
}

}  // namespace fuselab::wire
