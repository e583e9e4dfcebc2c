// SPDX-License-Identifier: Apache-2.0
#include "app/wire/codec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/wire/frame.h"
#include "tests/unit/wire/sample_messages.h"

namespace fuselab::wire {
namespace {

// Re-encoding what was decoded gives the same bytes: no field is lost, since each sample sets every field.
TEST(Codec, EveryRequestSurvivesTheWire) {
  const auto samples = sample_requests();
  ASSERT_EQ(samples.size(), std::variant_size_v<Request>);
  for (const Request& sample : samples) {
    const auto frame = encode(sample);
    ASSERT_TRUE(frame.ok());
    const auto read = decode_request(frame.value());
    ASSERT_TRUE(read.ok()) << sample.index() << ": " << read.error().message;
    EXPECT_EQ(read.value().index(), sample.index());
    EXPECT_EQ(encode(read.value()).value(), frame.value()) << sample.index();
  }
}

TEST(Codec, EveryReplySurvivesTheWire) {
  const auto samples = sample_replies();
  ASSERT_EQ(samples.size(), std::variant_size_v<Reply>);
  for (const Reply& sample : samples) {
    const auto frame = encode(sample);
    ASSERT_TRUE(frame.ok());
    const auto read = decode_reply(frame.value());
    ASSERT_TRUE(read.ok()) << sample.index() << ": " << read.error().message;
    EXPECT_EQ(read.value().index(), sample.index());
    EXPECT_EQ(encode(read.value()).value(), frame.value()) << sample.index();
  }
}

TEST(Codec, PlansKeepTheirInputsAndOutputsInOrder) {
  const Block sent = sample_block();
  const auto read = decode_request(encode(Request(MeasureRequest{"cpu", sent})).value());
  ASSERT_TRUE(read.ok());
  const Block& got = std::get<MeasureRequest>(read.value()).block;
  const Graph& before = sent.plans[0].graph;
  const Graph& after = got.plans[0].graph;
  EXPECT_EQ(graph_key(after), graph_key(before));
  ASSERT_EQ(after.inputs().size(), before.inputs().size());
  for (std::size_t i = 0; i < before.inputs().size(); ++i) {
    EXPECT_EQ(after.type(after.inputs()[i]), before.type(before.inputs()[i]));
    EXPECT_EQ(after.value(after.inputs()[i]).origin, before.value(before.inputs()[i]).origin);
  }
  ASSERT_EQ(after.outputs().size(), 2U);
  EXPECT_EQ(after.node(*after.value(after.outputs()[0]).producer).op, Op::kRelu);
  EXPECT_EQ(after.node(*after.value(after.outputs()[1]).producer).op, Op::kAdd);
  EXPECT_EQ(got.protocol.inputs, sent.protocol.inputs);
}

TEST(Codec, KernelsKeepTheirIdentity) {
  const auto read = decode_reply(encode(Reply(CompileReply{sample_kernel()})).value());
  ASSERT_TRUE(read.ok());
  const CompiledKernel& kernel = std::get<CompileReply>(read.value()).kernel;
  EXPECT_EQ(kernel.kernel_id(), sample_kernel().kernel_id());
  EXPECT_EQ(kernel.config, sample_kernel().config);
  EXPECT_EQ(kernel.abi, sample_kernel().abi);
  EXPECT_EQ(kernel.binary.data, sample_kernel().binary.data);
}

TEST(Codec, RefusesAnotherVersionWithAdvice) {
  auto frame = encode(Request(ListRequest{})).value();
  frame[4] = std::byte{99};
  const auto read = decode_request(frame);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(read.error().message.find("version 99"), std::string::npos);
  EXPECT_NE(read.error().message.find("same build"), std::string::npos);
}

TEST(Codec, RefusesPlansThatNameNoValue) {
  Block block = sample_block();
  block.plans[1].steps[0].arguments[2] = 5;
  const auto read = decode_request(encode(Request(MeasureRequest{"cpu", block})).value());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(read.error().message.find("names value 5 of 5"), std::string::npos) << read.error().message;
}

TEST(Codec, RefusesExecutionsThatNameNoValue) {
  const std::vector<Request> samples = sample_requests();
  auto request = std::get<ExecuteRequest>(*std::find_if(
      samples.begin(), samples.end(), [](const Request& each) { return std::holds_alternative<ExecuteRequest>(each); }));
  request.outputs[0].value = 5;
  const auto read = decode_request(encode(Request(request)).value());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(read.error().message.find("names value 5 of 5"), std::string::npos) << read.error().message;
}

}  // namespace
}  // namespace fuselab::wire
