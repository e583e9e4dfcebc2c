// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/fields/complaint.h"
#include "core/fields/fields.h"
#include "core/fields/value_kinds.h"

// Reads what json_writer.h wrote, or untrusted input of the same form: members that no field names are skipped, since a later
// version may have written them.
namespace fuselab::fields {

template <typename Json, Listed Struct>
Complaint read_object(const Json& object, Struct& value);

template <typename Json, Integer Value>
Complaint read_integer(const Json& json, Range range, Value& value) {
  const auto take = [&](auto number) {
    if (!std::in_range<Value>(number) || (range == Range::kNotNegative && std::cmp_less(number, 0))) return false;
    value = static_cast<Value>(number);
    return true;
  };
  // The library's parser stores non-negative numbers as unsigned.
  const bool taken = json.is_number_unsigned() ? take(json.template get<std::uint64_t>())
                                               : json.is_number_integer() && take(json.template get<std::int64_t>());
  if (taken) return {};
  return range == Range::kNotNegative ? " is no count" : " is no whole number of its range";
}

template <typename Json>
Complaint read_double(const Json& json, Range range, double& value) {
  if (json.is_number()) value = json.template get<double>();
  const bool finite = json.is_number() && std::isfinite(value);
  switch (range) {
    case Range::kFinite: return finite ? "" : " is no finite number";
    case Range::kNotNegative: return finite && value >= 0 ? "" : " is no finite number of at least 0";
    case Range::kMayBeInfinite: break;
  }
  const bool infinite = json.is_string() && take_infinity(json.template get_ref<const std::string&>(), value);
  return finite || infinite ? "" : " is no number";
}

template <typename Json, typename Value, typename Parse>
Complaint read_name(const Json& json, const Parse& parse, Value& value) {
  if (!json.is_string()) return " is no text";
  const auto parsed = parse(shown_word(json.template get_ref<const std::string&>()));
  if (!parsed.ok()) return ": " + parsed.error().message;
  value = parsed.value();
  return {};
}

template <typename Json, typename Value>
Complaint read_value(const Json& json, Range range, Value& value) {
  if constexpr (Listed<Value>) {
    const Complaint complaint = read_object(json, value);
    return complaint.empty() ? complaint : ": " + complaint;
  } else if constexpr (kIsOptional<Value>) {
    return read_value(json, range, value.emplace());
  } else if constexpr (kIsVector<Value>) {
    if (!json.is_array()) return " is no list";
    value.clear();
    for (const Json& element : json) {
      if (const Complaint complaint = read_value(element, range, value.emplace_back()); !complaint.empty())
        return about_list_of(complaint);
    }
    return {};
  } else if constexpr (kIsPair<Value>) {
    const bool is_pair = json.is_array() && json.size() == 2 && read_value(json[0], range, value.first).empty() &&
                         read_value(json[1], range, value.second).empty();
    if (is_pair) return {};
    return std::same_as<Value, std::pair<std::string, std::string>> ? " is no pair of texts" : " is no pair";
  } else if constexpr (Quantity<Value>) {
    return read_value(json, range, value.count);
  } else if constexpr (std::same_as<Value, std::string>) {
    if (!json.is_string()) return " is no text";
    value = json.template get<std::string>();
    return {};
  } else if constexpr (std::same_as<Value, bool>) {
    if (!json.is_boolean()) return " is neither true nor false";
    value = json.template get<bool>();
    return {};
  } else if constexpr (Integer<Value>) {
    return read_integer(json, range, value);
  } else if constexpr (std::same_as<Value, double>) {
    return read_double(json, range, value);
  } else {
    try {
      json.get_to(value);
      return {};
    } catch (const std::exception& failure) {  // the library's, of a conversion that its own type has
      return std::string(": ") + failure.what();
    }
  }
}

template <typename Json, typename Struct, typename Member, typename Parse>
Complaint read_field(const Json& object, Struct& value, const Field<Struct, Member, Parse>& field) {
  Member& member = value.*field.member;
  const auto found = object.find(field.name);
  if (found == object.end()) {
    if constexpr (kIsOptional<Member>) {
      member.reset();
      return {};
    }
    return field.required ? about_field(field.name, " is missing") : Complaint();
  }
  if constexpr (std::is_same_v<Parse, NoParse>) {
    return about_field(field.name, read_value(*found, field.range, member));
  } else {
    return about_field(field.name, read_name(*found, field.parse, member));
  }
}
template <typename Json, typename Struct, typename Member>
Complaint read_field(const Json& object, Struct& value, const Inlined<Struct, Member>& inlined) {
  return read_object(object, value.*inlined.member);
}
template <typename Json, typename Struct, typename Member>
Complaint read_field(const Json&, Struct&, const LeftOut<Struct, Member>&) {
  return {};
}

// Reads the fields in order and returns the first complaint; the fields after it are not read.
template <typename Json, Listed Struct>
Complaint read_object(const Json& object, Struct& value) {
  if (!object.is_object()) return "this is no object";
  Complaint complaint;
  for_each_field<Struct>([&](const auto& field) {
    if (complaint.empty()) complaint = read_field(object, value, field);
  });
  return complaint;
}

// Reads all fields. Fails with kCorrupt, naming the field; `value` is then partly read.
template <typename Json, Listed Struct>
Status read_fields(const Json& object, Struct& value) {
  Complaint complaint = read_object(object, value);
  return complaint.empty() ? Status() : Error{ErrorCode::kCorrupt, std::move(complaint)};
}

}  // namespace fuselab::fields
