// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fuselab {

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

// Named attributes of a node, with ONNX names and defaults. They are ordered, so that the canonical text is unique.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, AttributeValue>> values) : values_(values) {}

  void set(std::string name, AttributeValue value) { values_[std::move(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(std::string(name)) != values_.end(); }
  // Each returns the value, or `otherwise` when it is absent or of another type (import checks types).
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;  // an integer attribute is accepted as well
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> otherwise = {}) const;

  const std::map<std::string, AttributeValue>& values() const { return values_; }
  bool operator==(const Attributes&) const = default;

 private:
  std::map<std::string, AttributeValue> values_;
};

}  // namespace fuselab
