// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/evaluation/call.h"

namespace fuselab::onnx {

// What several operators consist of. Numbers are float64, types are ONNX's numbers.

// Multiplies matrices as NumPy does.
Result<Array> multiplied(Array a, Array b, std::int32_t type);

// Evaluates a convolution: x, w and an optional bias.
Evaluated evaluate_conv(const Call& call);

// Brings each run of `extent` numbers to mean 0 (unless only its size is to be 1) and variance 1.
void normalise(Array& array, std::int64_t extent, double epsilon, bool centred);

// The least and the largest number of an integer type.
struct Bounds {
  double least = 0, most = 255;
};
Result<Bounds> bounds_of(std::int32_t type);
// Rounds to even, adds the zero point, and stays within the bounds.
double rounded(double number, double zero, const Bounds& bounds);

}  // namespace fuselab::onnx
