// SPDX-License-Identifier: Apache-2.0
#include "tests/device/primitives/device_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/kernel/cuda_features.h"
#include "core/reference/reference.h"

namespace fuselab::primitives {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

struct Difference {
  std::size_t count = 0, first = 0;
};

// The distance of neighbouring numbers of a type near a magnitude.
double ulp_at(DType dtype, double magnitude) {
  const int digits = dtype == DType::kBF16 ? 8 : dtype == DType::kF16 ? 11 : 24;
  return magnitude > 0 ? std::ldexp(1.0, std::ilogb(magnitude) + 1 - digits) : 0;
}

// Bit for bit; with `ulps`, as near as so many of the largest number in the same row. Where terms cancel, a sum that a device
// rounds more often differs by far more of its own.
Result<Difference> compare(const TensorType& type, const std::vector<std::byte>& expected, const std::vector<std::byte>& got,
                           int ulps) {
  Difference found;
  const auto step = static_cast<std::size_t>(bits_of(type.dtype) / 8);
  RealTensor wanted, made;
  if (ulps > 0) {
    FL_TRY(wanted, unpack(type, expected));
    FL_TRY(made, unpack(type, got));
  }
  const std::size_t row = type.shape.empty() ? 1 : static_cast<std::size_t>(type.shape.back().extent());
  for (std::size_t at = 0; at * step + step <= expected.size(); ++at) {
    if (std::memcmp(expected.data() + at * step, got.data() + at * step, step) == 0) continue;
    if (ulps > 0) {
      double largest = 0;
      for (std::size_t i = at / row * row; i < at / row * row + row; ++i) largest = std::max(largest, std::fabs(wanted.data[i]));
      if (std::fabs(wanted.data[at] - made.data[at]) <= ulps * ulp_at(type.dtype, largest)) continue;
    }
    if (found.count++ == 0) found.first = at;
  }
  return found;
}

std::string value_at(const TensorType& type, const std::vector<std::byte>& bytes, std::size_t index) {
  const auto tensor = unpack(type, bytes);
  return tensor.ok() && index < tensor.value().data.size() ? number(tensor.value().data[index]) : "?";
}

// "lane 3: 0 16 8 24", a line for each.
std::string lanes_text(const TensorType& type, const std::vector<std::byte>& bytes, int values) {
  const auto tensor = unpack(type, bytes);
  std::string text;
  for (std::size_t at = 0; tensor.ok() && at < tensor.value().data.size(); ++at) {
    if (at % static_cast<std::size_t>(values) == 0)
      text += (at == 0 ? "lane " : "\nlane ") + std::to_string(at / static_cast<std::size_t>(values)) + ":";
    text += " " + number(tensor.value().data[at]);
  }
  return text;
}

Result<std::vector<std::vector<std::byte>>> run(FusionBackend& backend, DeviceRuntime& runtime, const PrimitiveCase& one) {
  CompiledKernel kernel;
  FL_TRY(kernel.binary, backend.compiler()->compile(one.source, runtime.info().target, OptimizationLevel::kO2, {}));
  kernel.abi = one.source.abi;
  kernel.identity.target = runtime.info().target.id;
  FL_TRY(const std::unique_ptr<Executable> loaded, runtime.load(kernel));
  std::vector<Buffer> buffers;
  std::size_t input = 0;
  for (const KernelArgument& argument : one.source.abi.arguments) {
    FL_TRY(const Bytes size, size_of(argument.type));
    FL_TRY(const Buffer buffer, runtime.allocate(size, argument.role));
    buffers.push_back(buffer);
    // What nobody writes has the executor's pattern.
    const std::vector<std::byte> poison(static_cast<std::size_t>(size.count), std::byte{0xFF});
    FL_TRY_VOID(runtime.upload(buffer, argument.role == BufferRole::kIn ? one.inputs[input++] : poison));
  }
  FL_TRY_VOID(loaded->enqueue(buffers));
  FL_TRY_VOID(runtime.synchronize());
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (one.source.abi.arguments[i].role == BufferRole::kOut) {
      std::vector<std::byte>& bytes = outputs.emplace_back(static_cast<std::size_t>(buffers[i].size.count));
      FL_TRY_VOID(runtime.download(bytes, buffers[i]));
    }
    FL_TRY_VOID(runtime.release(buffers[i]));
  }
  return outputs;
}

Verdict judged(const PrimitiveCase& one, const std::vector<std::vector<std::byte>>& got) {
  Verdict verdict{"ok", one.ulps == 0 ? "bit for bit" : "to " + std::to_string(one.ulps) + " ulp of a row's largest number", ""};
  std::size_t output = 0;
  for (const KernelArgument& argument : one.source.abi.arguments) {
    if (argument.role != BufferRole::kOut) continue;
    const std::size_t place = output++;
    if (argument.name == one.told) {
      verdict.text += "; " + one.told + " is " + value_at(argument.type, got[place], 0);
      continue;
    }
    const auto compared = compare(argument.type, one.expected[place], got[place], one.ulps);
    if (!compared.ok()) return {"failed", compared.error().message, ""};
    const Difference found = compared.value();
    if (found.count == 0) continue;
    verdict.state = "wrong";
    verdict.text = std::to_string(found.count) + " elements of " + argument.name + " differ, the first is " + argument.name + "[" +
                   std::to_string(found.first) + "]: " + value_at(argument.type, got[place], found.first) + ", the executor has " +
                   value_at(argument.type, one.expected[place], found.first);
    if (one.lane_values > 0 && place == 0) verdict.lane_map = lanes_text(argument.type, got[place], one.lane_values);
    return verdict;
  }
  return verdict;
}

}  // namespace

Verdict check_on(FusionBackend& backend, DeviceRuntime& runtime, const PrimitiveCase& one) {
  const Target& target = runtime.info().target;
  if (!one.targets.empty()) {
    if (std::ranges::find(one.targets, target.id) == one.targets.end())
      return {"skipped", "it is for " + one.targets.front() + ", and this is " + target.id, ""};
    const auto made = run(backend, runtime, one);
    return made.ok() ? judged(one, made.value()) : Verdict{"failed", made.error().message, ""};
  }
  const CudaFeatures features = cuda_features(target);
  if (features.capability < one.capability) return {"skipped", target.id + " is below sm_" + std::to_string(one.capability), ""};
  if (one.group_products && !features.group_products) return {"skipped", target.id + " is not sm_90a", ""};
  const auto outputs = run(backend, runtime, one);
  if (!outputs.ok()) return {"failed", outputs.error().message, ""};
  return judged(one, outputs.value());
}

}  // namespace fuselab::primitives
