// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab::fields {

// What is wrong with a value, to be put behind its name: " is no text", or with a value inside it: ": 'ratio' is missing". Empty:
// nothing.
using Complaint = std::string;

Complaint about_field(std::string_view name, const Complaint& complaint);
// Of a list, given what is wrong with one of its elements.
Complaint about_list_of(const Complaint& complaint);
// A stranger's word may be long and may hold anything: that much of it is put into a message.
std::string shown_word(std::string_view word);

// JSON has no infinity, and libraries write null.
std::string_view word_of_number(double value);  // empty: it is finite
bool take_infinity(std::string_view word, double& value);

}  // namespace fuselab::fields
