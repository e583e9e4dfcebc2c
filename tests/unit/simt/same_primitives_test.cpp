// SPDX-License-Identifier: Apache-2.0
// A kernel that the executor runs must compile for the device, and the other way round: the preludes have the same names.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <string>

#include "backends/codegen/emit/dialect.h"
#include "backends/emulator/kernel_object.h"

namespace fuselab::simt {
namespace {

std::string without_comments(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex("//[^\n]*"), "");
}

// Functions, types and macros; FL_FUNCTION(exp, …) and FL_HOST_MATH(exp, …) define fl_exp.
std::set<std::string> names_in(std::string_view prelude) {
  const std::string text = without_comments(prelude);
  std::set<std::string> names;
  const std::regex name(R"(\b(fl_[a-z]\w*|FL_[A-Z]\w*)\b)");
  for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found) names.insert((*found)[1].str());
  const std::regex made(R"(FL_(?:FUNCTION|HOST_MATH|OF_LIBRARY)\((\w+)[,)])");
  for (std::sregex_iterator found(text.begin(), text.end(), made), end; found != end; ++found)
    names.insert("fl_" + (*found)[1].str());
  return names;
}

void expect_the_same(std::set<std::string> device, std::set<std::string> host, const std::set<std::string>& of_the_device) {
  for (const std::string& own : of_the_device) device.erase(own);
  std::erase_if(host, [](const std::string& name) {
    return name.starts_with("fl_host_") || name.starts_with("FL_HOST_") || name == "fl_name";
  });
  EXPECT_GT(device.size(), 40U);
  EXPECT_EQ(host, device);
}

TEST(SimtPrelude, HasThePrimitivesOfTheDevicesPreludeAndNoOthers) {
  std::set<std::string> host = names_in(host_prelude());
  expect_the_same(
      names_in(codegen::hip_dialect().preamble), host,
      {"fl_word", "fl_words", "FL_FUNCTION", "FL_OF_LIBRARY", "FL_LANES", "fl_from_lane", "fl_name", "fl_dynamic_memory"});
  host.erase("FL_WAVEFRONT");  // AMD's alone
  expect_the_same(names_in(codegen::cuda_prelude()), host, {"fl_word", "fl_words", "FL_FUNCTION", "fl_name", "fl_dynamic_memory"});
}

// Names that a text takes from the first prelude count on neither side.
TEST(SimtPrelude, HasThePrimitivesOfTheDevicesSecondPreludeAndNoOthers) {
  std::set<std::string> device = names_in(codegen::cuda_matrix_prelude()), host = names_in(host_matrix_prelude());
  device.merge(names_in(codegen::hip_dialect().matrix_preamble));
  for (const std::string& first : names_in(codegen::cuda_prelude())) device.erase(first);
  for (const std::string& first : names_in(host_prelude())) host.erase(first);
  expect_the_same(device, host, {"FL_MULTIPLY",       "FL_MULTIPLY_BYTES", "FL_R32",    "FL_R8",     "FL_SUM",
                                 "fl_aligned_memory", "fl_shared_address", "fl_bf16x8", "fl_f16x16", "fl_f16x4",
                                 "fl_f16x8",          "fl_f32x16",         "fl_f32x8",  "fl_i16x16", "fl_i16x4",
                                 "fl_i16x8",          "fl_i32x16",         "fl_i32x2",  "fl_i32x4",  "fl_i32x8"});
}

}  // namespace
}  // namespace fuselab::simt
