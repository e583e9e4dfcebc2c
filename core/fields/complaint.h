// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab::fields {

// A description of what is wrong with a value, to be put behind its name: " is no text", or, about a value inside it, ": 'ratio' is
// missing". An empty complaint means that nothing is wrong.
using Complaint = std::string;

Complaint about_field(std::string_view name, const Complaint& complaint);
// Turns a complaint about one element into a complaint about the list that holds it.
Complaint about_list_of(const Complaint& complaint);
// Returns the start of an untrusted word, cleaned for use in a message: the word may be long and may hold anything.
std::string shown_word(std::string_view word);

// JSON has no infinity and libraries write null, so numbers that are not finite are written as the words "inf", "-inf", "nan".
std::string_view word_of_number(double value);  // empty when the value is finite
bool take_infinity(std::string_view word, double& value);

}  // namespace fuselab::fields
