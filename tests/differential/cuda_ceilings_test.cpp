// SPDX-License-Identifier: Apache-2.0
// The kernels that measure what a device can do, on the SIMT executor: one that skipped a part would set a ceiling that nothing
// reaches, one that went too far would end the device.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "backends/codegen/emit/dialect.h"
#include "backends/emulator/launch.h"
#include "backends/gpu/stream/ceiling_kernels.h"

namespace fuselab::testing {
namespace {

constexpr std::string_view kBegin = "extern \"C\" FL_KERNEL(";
constexpr std::int64_t kElements = 1003;  // of 16 bytes: no multiple of what a block takes

// Each kernel of a text with what stands before the first.
std::vector<simt::KernelText> split(const std::string& text, std::span<const std::string> names) {
  const std::string whole = simt::without_prelude(text);
  const std::string before = whole.substr(0, whole.find(kBegin));
  std::vector<simt::KernelText> kernels;
  for (const std::string& name : names) {
    const std::size_t begin = whole.rfind(kBegin, whole.find(" " + name + "("));
    kernels.push_back({name, before + whole.substr(begin, whole.find(kBegin, begin + 1) - begin)});
  }
  return kernels;
}

// The executor passes pointers: a number lies in memory.
void take_from_memory(simt::KernelText& kernel) {
  const std::string number = "long long count) {\n";
  const std::size_t at = kernel.body.find(number);
  ASSERT_NE(at, std::string::npos) << kernel.entry;
  kernel.body.replace(at, number.size(), "const long long* held) {\n  const long long count = *held;\n");
}

simt::Argument floats(const std::string& name, simt::BufferUse use, std::int64_t count, float first) {
  simt::Argument argument{name, use, 4, 64, std::vector<std::byte>(static_cast<std::size_t>(4 * count))};
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = first + static_cast<float>(i % 1024);
    std::memcpy(argument.bytes.data() + 4 * i, &value, sizeof value);
  }
  return argument;
}

class CudaCeilingKernels : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(CudaCeilingKernels, MoveEveryElementOfEveryStreamAndNothingElse) {
  const auto [reads, writes] = GetParam();
  std::vector<std::string> names;
  for (const gpu::stream::StreamProbe& probe : gpu::stream::kStreamProbes) names.push_back(probe.name());
  std::vector<simt::KernelText> kernels = split(gpu::stream::stream_probe_text(codegen::cuda_prelude(), reads, writes), names);
  for (simt::KernelText& kernel : kernels) take_from_memory(kernel);
  const auto object = simt::KernelObject::compile(kernels);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    for (const std::int64_t grid : {2, 40}) {  // blocks that stay, and more than there is work for
      std::vector<simt::Argument> arguments;
      for (int i = 0; i < reads; ++i)
        arguments.push_back(floats("r" + std::to_string(i), simt::BufferUse::kRead, 4 * kElements, static_cast<float>(1 + i)));
      for (int i = 0; i < writes; ++i)
        arguments.push_back(floats("w" + std::to_string(i), simt::BufferUse::kWrite, 4 * kElements, -1));
      arguments.push_back(floats("sink", simt::BufferUse::kWrite, 1, -7));
      simt::Argument count{"count", simt::BufferUse::kRead, 8, 8, std::vector<std::byte>(8)};
      std::memcpy(count.bytes.data(), &kElements, 8);
      arguments.push_back(std::move(count));
      const simt::Outcome outcome = simt::run_launch(*object.value(), kernel, {grid, 32, 0}, arguments);
      ASSERT_EQ(outcome.finding, "") << names[kernel];
      for (int w = 0; w < writes; ++w) {
        for (std::int64_t i = 0; i < 4 * kElements; ++i) {
          float written = 0;
          std::memcpy(&written, arguments[static_cast<std::size_t>(reads + w)].bytes.data() + 4 * i, sizeof written);
          const auto column = static_cast<float>(i % 1024);
          const float wanted =
              reads == 0 ? static_cast<float>(1 + i % 4) : static_cast<float>(reads) * column + (reads == 1 ? 1 : 3);
          ASSERT_EQ(written, wanted) << names[kernel] << " stream " << w << " element " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, CudaCeilingKernels,
                         ::testing::Values(std::pair(1, 1), std::pair(2, 1), std::pair(0, 1), std::pair(1, 0)),
                         [](const auto& each) {
                           return std::to_string(each.param.first) + "to" + std::to_string(each.param.second);
                         });

// What is only read is kept in a sum that is compared with one number: were an element left out, that number would go unnoticed
// there.
TEST(CudaReadingCeilingKernels, ReadEveryElement) {
  std::vector<std::string> names;
  for (const gpu::stream::StreamProbe& probe : gpu::stream::kStreamProbes) names.push_back(probe.name());
  for (const int reads : {1, 3}) {
    std::vector<simt::KernelText> kernels = split(gpu::stream::stream_probe_text(codegen::cuda_prelude(), reads, 0), names);
    for (simt::KernelText& kernel : kernels) take_from_memory(kernel);
    const auto object = simt::KernelObject::compile(kernels);
    ASSERT_TRUE(object.ok()) << object.error().message;
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
      for (const std::int64_t at : {std::int64_t{0}, 2 * kElements + 1, 4 * kElements - 1}) {
        std::vector<simt::Argument> arguments;
        for (int i = 0; i < reads; ++i) {
          arguments.push_back(floats("r" + std::to_string(i), simt::BufferUse::kRead, 4 * kElements, 0));
          std::fill(arguments.back().bytes.begin(), arguments.back().bytes.end(), std::byte{0});
        }
        const float sought = 1.2345e30F;
        std::memcpy(arguments.back().bytes.data() + 4 * at, &sought, sizeof sought);
        arguments.push_back(floats("sink", simt::BufferUse::kWrite, 1, -7));
        simt::Argument count{"count", simt::BufferUse::kRead, 8, 8, std::vector<std::byte>(8)};
        std::memcpy(count.bytes.data(), &kElements, 8);
        arguments.push_back(std::move(count));
        const simt::Outcome outcome = simt::run_launch(*object.value(), kernel, {2, 32, 0}, arguments);
        ASSERT_EQ(outcome.finding, "") << names[kernel];
        float sink = 0;
        std::memcpy(&sink, arguments[static_cast<std::size_t>(reads)].bytes.data(), sizeof sink);
        EXPECT_NE(sink, -7) << names[kernel] << " of " << reads << " streams did not see element " << at;
      }
    }
  }
}

TEST(CudaRateKernels, EndAndLeaveTheirSinkAlone) {
  const std::vector<std::string> names = {"rate_f32", "rate_f64", "nothing"};
  const auto object = simt::KernelObject::compile(split(gpu::stream::rate_probe_text(codegen::cuda_prelude()), names));
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t kernel = 0; kernel < names.size(); ++kernel) {
    simt::Argument sink = floats("sink", simt::BufferUse::kWrite, 2, -7);
    sink.element = names[kernel] == "rate_f64" ? 8 : 4;
    const std::vector<std::byte> before = sink.bytes;
    std::vector<simt::Argument> arguments;
    if (names[kernel] != "nothing") arguments.push_back(sink);
    EXPECT_EQ(simt::run_launch(*object.value(), kernel, {1, 32, 0}, arguments).finding, "") << names[kernel];
    EXPECT_TRUE(arguments.empty() || arguments.front().bytes == before) << names[kernel];
  }
}

}  // namespace
}  // namespace fuselab::testing
