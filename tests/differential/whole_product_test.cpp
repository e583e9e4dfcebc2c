// SPDX-License-Identifier: Apache-2.0
// Products of i32 by digits, whose sums wrap, with numbers of all 32 bits: the float64 reference would round such products.
#include <gtest/gtest.h>

#include <cstring>

#include "backends/cpu/cpu_backend.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"

namespace fuselab::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Either of 16 bits with a sign, its limits among them, or any.
Numbers numbers(std::int64_t count, bool wide, SeededRandom& random) {
  Numbers made(static_cast<std::size_t>(count));
  for (std::uint32_t& each : made) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    each = wide ? bits : static_cast<std::uint32_t>(static_cast<std::int16_t>(bits % 8 == 0 ? 0x8000 : bits >> 8));
  }
  if (wide) made.front() = 0x80000000U;
  return made;
}

struct Sizes {
  std::int64_t batches, m, k, n;
};

Numbers product(const Numbers& a, const Numbers& b, const Sizes& s) {
  Numbers sums(static_cast<std::size_t>(s.batches * s.m * s.n));
  for (std::int64_t row = 0; row < s.batches * s.m; ++row) {
    for (std::int64_t k = 0; k < s.k; ++k) {
      for (std::int64_t col = 0; col < s.n; ++col)
        sums[static_cast<std::size_t>(row * s.n + col)] +=
            a[static_cast<std::size_t>(row * s.k + k)] * b[static_cast<std::size_t>((row / s.m * s.k + k) * s.n + col)];
    }
  }
  return sums;
}

Result<Numbers> launched(DeviceRuntime& runtime, const CompiledKernel& kernel, const Numbers& a, const Numbers& b,
                         std::size_t count) {
  FL_TRY(const std::unique_ptr<Executable> executable, runtime.load(kernel));
  std::vector<Buffer> buffers;
  for (const Numbers* const each : {&a, &b}) {
    FL_TRY(Buffer buffer, runtime.allocate({static_cast<std::int64_t>(4 * each->size())}, BufferRole::kIn));
    FL_TRY_VOID(runtime.upload(buffer, std::as_bytes(std::span(*each))));
    buffers.push_back(buffer);
  }
  FL_TRY(Buffer out, runtime.allocate({static_cast<std::int64_t>(4 * count)}, BufferRole::kOut));
  buffers.push_back(out);
  FL_TRY_VOID(executable->enqueue(buffers));
  FL_TRY_VOID(runtime.synchronize());
  std::vector<std::byte> bytes(4 * count);
  FL_TRY_VOID(runtime.download(bytes, out));
  Numbers sums(count);
  std::memcpy(sums.data(), bytes.data(), bytes.size());
  return sums;
}

TEST(WholeProducts, WrapWhateverTheirNumbersAre) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  const auto runtime = backend->open(device);
  ASSERT_TRUE(runtime.ok()) << runtime.error().message;
  SeededRandom random(20261130);
  for (const Sizes& s : {Sizes{1, 8, 8, 16}, Sizes{1, 33, 63, 130}, Sizes{2, 9, 17, 5}, Sizes{1, 70, 64, 96}}) {
    const std::string text = "graph(x: i32[" + std::to_string(s.batches) + "," + std::to_string(s.m) + "," + std::to_string(s.k) +
                             "], w: i32[" + std::to_string(s.batches) + "," + std::to_string(s.k) + "," + std::to_string(s.n) +
                             "]) { y = MatMul(x, w); return y }";
    const auto graph = parse_graph(text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto configs = backend->generator()->space(graph.value(), device.target).enumerate(100000);
    ASSERT_FALSE(configs.empty());
    for (int tried = 0; tried < 4; ++tried) {
      const LaunchConfig& config = configs[random.below(configs.size())];
      const auto kernel = compile_kernel(*backend, graph.value(), config, device.target, OptimizationLevel::kO2, {});
      ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << repro(graph.value(), config, device.target);
      EXPECT_EQ(kernel.value().identity.generator, "cpu-c");
      for (const unsigned wide : {0U, 1U, 2U, 3U}) {
        const Numbers a = numbers(s.batches * s.m * s.k, (wide & 1) != 0, random);
        const Numbers b = numbers(s.batches * s.k * s.n, (wide & 2) != 0, random);
        const Numbers expected = product(a, b, s);
        const auto actual = launched(*runtime.value(), kernel.value(), a, b, expected.size());
        ASSERT_TRUE(actual.ok()) << actual.error().message;
        EXPECT_TRUE(actual.value() == expected) << "wide: " << wide << "\n" << repro(graph.value(), config, device.target);
      }
    }
  }
}

}  // namespace
}  // namespace fuselab::testing
