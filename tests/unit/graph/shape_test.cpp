// SPDX-License-Identifier: Apache-2.0
#include "core/types/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuselab {
namespace {

using ::testing::HasSubstr;

std::string binding_error(std::string_view text) {
  const auto parsed = parse_bindings(text);
  return parsed.ok() ? "accepted" : parsed.error().message;
}

TEST(ParseBindings, ReadsNamesAndExtents) {
  const auto parsed = parse_bindings(" batch=8, seq = 128 ");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value(), (Bindings{{"batch", 8}, {"seq", 128}}));
}

TEST(ParseBindings, NothingIsNoBindings) {
  EXPECT_TRUE(parse_bindings("").value().empty());
  EXPECT_TRUE(parse_bindings("  ").value().empty());
}

TEST(ParseBindings, SaysWhatIsWrongAndHowToWriteIt) {
  EXPECT_EQ(binding_error("batch"), "shape 'batch': expected name=number; write it as batch=8,seq=128");
  EXPECT_THAT(binding_error("batch=8,seq=many"), HasSubstr("shape 'seq=many': 'many' is not a whole number"));
  EXPECT_THAT(binding_error("batch=1.5"), HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(binding_error("batch="), HasSubstr("is not a whole number"));
  EXPECT_THAT(binding_error("8=batch"), HasSubstr("'8' is not a name"));
  EXPECT_THAT(binding_error("=8"), HasSubstr("'' is not a name"));
  EXPECT_THAT(binding_error("batch=8,batch=9"), HasSubstr("'batch' is given twice"));
  EXPECT_THAT(binding_error("batch=8,"), HasSubstr("nothing follows the last comma"));
  EXPECT_THAT(binding_error("batch=8,,seq=1"), HasSubstr("expected name=number"));
  EXPECT_THAT(binding_error(std::string(65, 'x') + "=8"), HasSubstr("is not a name"));
}

TEST(ParseBindings, BoundsExtents) {
  EXPECT_THAT(binding_error("n=0"), HasSubstr("between 1 and 1099511627776"));
  EXPECT_THAT(binding_error("n=-4"), HasSubstr("between 1 and"));
  EXPECT_THAT(binding_error("n=1099511627777"), HasSubstr("between 1 and"));
  EXPECT_THAT(binding_error("n=99999999999999999999"), HasSubstr("between 1 and"));
  EXPECT_TRUE(parse_bindings("n=1099511627776").ok());
}

TEST(Shape, HasAText) {
  EXPECT_EQ(shape_text({}), "[]");
  EXPECT_EQ(shape_text({Dim::symbol("batch"), 768}), "[batch,768]");
}

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(element_count({}).value(), 1);
  EXPECT_EQ(element_count({8, 768}).value(), 6144);
  EXPECT_EQ(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}).value(), 0);
  EXPECT_EQ(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}).value(), std::int64_t{1} << 62);
}

TEST(Shape, RefusesToCountWhatIsTooLargeOrUnbound) {
  EXPECT_THAT(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}).error().message, HasSubstr("more than 2^62 elements"));
  EXPECT_THAT(element_count({Dim::symbol("seq"), 4}).error().message, HasSubstr("until 'seq' is bound"));
}

TEST(Shape, IsConcreteWithoutSymbols) {
  EXPECT_TRUE(is_concrete({2, 3}));
  EXPECT_FALSE(is_concrete({2, Dim::symbol("n")}));
  EXPECT_EQ(extents_of({2, 3}), (std::vector<std::int64_t>{2, 3}));
}

}  // namespace
}  // namespace fuselab
