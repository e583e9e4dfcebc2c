// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/loading/vendor_library.h"
#include "backends/mkl/abi/mkl_abi.h"

namespace fuselab::mkl {

// The functions of MKL's vector mathematics (VML) that are called, each in single precision with an explicit mode ("vmsExp").
enum class VectorFunction : std::uint8_t {
  // of one operand
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCdfNorm,
  kCeil,
  kCos,
  kCosh,
  kErf,
  kExp,
  kFloor,
  kInv,
  kLn,
  kNearbyInt,
  kSin,
  kSinh,
  kSqrt,
  kTan,
  kTanh,
  // of two
  kAdd,
  kDiv,
  kFmax,
  kFmin,
  kFmod,
  kMul,
  kPow,
  kSub,
};
inline constexpr std::size_t kVectorFunctions = static_cast<std::size_t>(VectorFunction::kSub) + 1;

constexpr bool takes_two(VectorFunction function) {
  return function >= VectorFunction::kAdd;
}
const char* name_of(VectorFunction function);  // "vmsExp"

// The addresses of all of them in one library.
class VectorFunctions {
 public:
  // Fails with kUnavailable, naming the first that is missing.
  Status find(const loading::OpenedLibrary& library);
  // `b` is read by functions of two operands alone; `y` may be either operand.
  void call(VectorFunction function, int n, const float* a, const float* b, float* y, std::int64_t mode) const {
    void* const address = addresses_[static_cast<std::size_t>(function)];
    if (takes_two(function)) {
      reinterpret_cast<abi::Binary>(address)(n, a, b, y, mode);
    } else {
      reinterpret_cast<abi::Unary>(address)(n, a, y, mode);
    }
  }

 private:
  std::array<void*, kVectorFunctions> addresses_{};
};

}  // namespace fuselab::mkl
