// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/vector_function.h"

#include <iterator>
#include <vector>

namespace fuselab::mkl {
namespace {

// In the order of VectorFunction.
constexpr const char* kNames[] = {
    "vmsAbs",  "vmsAcos", "vmsAcosh", "vmsAsin",  "vmsAsinh", "vmsAtan", "vmsAtanh",     "vmsCdfNorm", "vmsCeil", "vmsCos",
    "vmsCosh", "vmsErf",  "vmsExp",   "vmsFloor", "vmsInv",   "vmsLn",   "vmsNearbyInt", "vmsSin",     "vmsSinh", "vmsSqrt",
    "vmsTan",  "vmsTanh", "vmsAdd",   "vmsDiv",   "vmsFmax",  "vmsFmin", "vmsFmod",      "vmsMul",     "vmsPow",  "vmsSub"};
static_assert(std::size(kNames) == kVectorFunctions);

}  // namespace

const char* name_of(VectorFunction function) {
  return kNames[static_cast<std::size_t>(function)];
}

Status VectorFunctions::find(const loading::OpenedLibrary& library) {
  std::vector<loading::Symbol> symbols;
  for (std::size_t i = 0; i < kVectorFunctions; ++i) symbols.push_back({kNames[i], &addresses_[i]});
  return loading::resolve(library, symbols);
}

}  // namespace fuselab::mkl
