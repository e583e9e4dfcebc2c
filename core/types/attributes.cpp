// SPDX-License-Identifier: Apache-2.0
#include "core/types/attributes.h"

namespace fuselab {
namespace {

template <typename T>
const T* find(const std::map<std::string, AttributeValue>& values, std::string_view name) {
  const auto found = values.find(std::string(name));
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* value = find<std::int64_t>(values_, name);
  return value ? *value : otherwise;
}

double Attributes::real(std::string_view name, double otherwise) const {
  if (const auto* value = find<double>(values_, name)) return *value;
  const auto* whole = find<std::int64_t>(values_, name);
  return whole ? static_cast<double>(*whole) : otherwise;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
  const auto* value = find<std::string>(values_, name);
  return value ? *value : std::string(otherwise);
}

std::vector<std::int64_t> Attributes::integers(std::string_view name, std::vector<std::int64_t> otherwise) const {
  const auto* value = find<std::vector<std::int64_t>>(values_, name);
  return value ? *value : std::move(otherwise);
}

}  // namespace fuselab
