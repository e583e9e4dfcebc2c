// SPDX-License-Identifier: Apache-2.0
// A library that looks like hipBLASLt 1.0 and computes products plainly. Its heuristic names three solutions, of which the second
// wants a workspace. $FUSELAB_FAKE_HIPBLASLT says how it behaves, separated by commas: "version=900", "create=1" (any code, crash,
// hang), "none" (the heuristic names nothing), "none=7" (and answers with the code), "matmul=5", "hungry" (every solution wants
// more than it may have), "wrong=42" (that solution leaves out the last of the depth), "other" (the solutions have other numbers).
#include <array>
#include <cstring>

#include "backends/hipblaslt/abi/hipblaslt_abi.h"
#include "tests/support/fake_amd_libraries/fake_product.h"
#include "tests/support/fake_amd_libraries/on_fake_hip.h"

using namespace fuselab::hipblaslt::abi;
using namespace fuselab::fake_amd;
using fuselab::fake_cuda::Behaviour;

namespace {

constexpr std::size_t kWorkspace = std::size_t{1} << 20;

struct Desc {
  std::int32_t trans_a = kOpN, trans_b = kOpN, bias_type = -1;
  std::uint32_t epilogue = kEndDefault;
  void* bias = nullptr;
};
struct Layout {
  int type = 0;
  std::int64_t rows = 0, columns = 0, leading = 0, stride = 0;
  std::int32_t batch = 1;
};
struct Preference {
  std::uint64_t workspace = 0;
};

Behaviour asked() {
  return Behaviour::of("FUSELAB_FAKE_HIPBLASLT");
}

std::array<std::int32_t, 3> solutions() {
  return asked().has("other") ? std::array<std::int32_t, 3>{7, 8, 9} : std::array<std::int32_t, 3>{4711, 42, 5};
}
std::size_t workspace_of(std::int32_t solution) {
  if (asked().has("hungry")) return std::size_t{1} << 40;
  return solution == solutions()[1] ? kWorkspace : 0;
}

template <typename T>
Code take(T& to, const void* value, std::size_t bytes) {
  if (bytes != sizeof to) return kInvalidValue;
  std::memcpy(&to, value, bytes);
  return kSuccess;
}

bool has_bias(std::uint32_t epilogue) {
  return (epilogue & kEndBias) != 0;
}

// What the real one refuses as well: extents that do not fit together, a matrix that is narrower than its rows.
bool fits(const Desc& desc, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const bool ta = desc.trans_a == kOpT, tb = desc.trans_b == kOpT;
  for (const Layout* each : {&a, &b, &c, &d}) {
    if (each->leading < each->rows || each->type != d.type || each->batch != d.batch) return false;
  }
  return (ta ? a.columns : a.rows) == d.rows && (tb ? b.rows : b.columns) == d.columns &&
         (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows) && c.rows == d.rows && c.columns == d.columns &&
         (!has_bias(desc.epilogue) || (desc.bias != nullptr && desc.bias_type == d.type));
}

template <typename T>
Code destroy(const void* held) {
  return delete static_cast<const T*>(held), kSuccess;
}

}  // namespace

EXPORTED Code hipblasLtCreate(void** handle) {
  static int here = 0;
  *handle = &here;
  return answer_of(asked(), "create");
}
EXPORTED Code hipblasLtGetVersion(void*, int* version) {
  return *version = static_cast<int>(asked().number("version").value_or(100000)), kSuccess;
}
EXPORTED Code hipblasLtMatmulDescCreate(void** desc, int compute, int scale) {
  return *desc = new Desc, compute == kCompute32F&& scale == kR32F ? kSuccess : kInvalidValue;
}
EXPORTED Code hipblasLtMatmulDescDestroy(const void* desc) {
  return destroy<Desc>(desc);
}
EXPORTED Code hipblasLtMatmulDescSetAttribute(void* desc, int attribute, const void* value, std::size_t bytes) {
  auto& held = *static_cast<Desc*>(desc);
  switch (attribute) {
    case kTransA: return take(held.trans_a, value, bytes);
    case kTransB: return take(held.trans_b, value, bytes);
    case kEpilogue: return take(held.epilogue, value, bytes);
    case kBiasPointer: return take(held.bias, value, bytes);
    case kBiasDataType: return take(held.bias_type, value, bytes);
    default: return kInvalidValue;
  }
}
EXPORTED Code hipblasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t leading) {
  auto* const made = new Layout;
  made->type = type;
  made->rows = static_cast<std::int64_t>(rows);
  made->columns = static_cast<std::int64_t>(columns);
  made->leading = leading;
  return *layout = made, kSuccess;
}
EXPORTED Code hipblasLtMatrixLayoutDestroy(const void* layout) {
  return destroy<Layout>(layout);
}
EXPORTED Code hipblasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value, std::size_t bytes) {
  auto& held = *static_cast<Layout*>(layout);
  if (attribute == kBatchCount) return take(held.batch, value, bytes);
  return attribute == kStridedBatchOffset ? take(held.stride, value, bytes) : kInvalidValue;
}
EXPORTED Code hipblasLtMatmulPreferenceCreate(void** preference) {
  return *preference = new Preference, kSuccess;
}
EXPORTED Code hipblasLtMatmulPreferenceDestroy(const void* preference) {
  return destroy<Preference>(preference);
}
EXPORTED Code hipblasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, std::size_t bytes) {
  return attribute == kMaxWorkspaceBytes ? take(static_cast<Preference*>(preference)->workspace, value, bytes) : kInvalidValue;
}
EXPORTED Code hipblasLtMatmulAlgoGetHeuristic(void*, void* desc, void* a, void* b, void* c, void* d, void*, int requested,
                                              Heuristic* found, int* returned) {
  *returned = 0;
  if (!fits(*static_cast<Desc*>(desc), *static_cast<Layout*>(a), *static_cast<Layout*>(b), *static_cast<Layout*>(c),
            *static_cast<Layout*>(d)))
    return kInvalidValue;
  if (asked().has("none")) return answer_of(asked(), "none");
  for (const std::int32_t each : solutions()) {
    if (*returned == requested) break;
    Heuristic& to = found[(*returned)++];
    to = {};
    std::memcpy(to.algorithm.data, &each, sizeof each);
    to.workspace = to.algorithm.most_workspace = workspace_of(each);
  }
  return kSuccess;
}
#ifndef FAKE_PARTIAL
EXPORTED Code hipblasLtMatmul(void*, void* desc, const void* alpha, const void* a, void* a_layout, const void* b, void* b_layout,
                              const void* beta, const void* c, void* c_layout, void* d, void* d_layout, const Algorithm* algorithm,
                              void* workspace, std::size_t workspace_bytes, void* stream) {
  const auto& held = *static_cast<Desc*>(desc);
  const auto& la = *static_cast<Layout*>(a_layout);
  const auto& lb = *static_cast<Layout*>(b_layout);
  const auto& lc = *static_cast<Layout*>(c_layout);
  const auto& ld = *static_cast<Layout*>(d_layout);
  if (stream == nullptr || !fits(held, la, lb, lc, ld)) return kInvalidValue;
  if (const Code code = answer_of(asked(), "matmul"); code != kSuccess) return code;
  std::int32_t solution = 0;
  std::memcpy(&solution, algorithm->data, sizeof solution);
  const std::size_t needed = workspace_of(solution);
  if (workspace_bytes < needed || (needed > 0 && workspace == nullptr)) return kInvalidValue;
  Product product;
  product.type = ld.type == kR16F ? Number::kF16 : ld.type == kR16BF ? Number::kBF16 : Number::kF32;
  product.m = ld.rows;
  product.n = ld.columns;
  product.k = held.trans_a == kOpT ? la.rows : la.columns;
  product.batch = ld.batch;
  product.alpha = *static_cast<const float*>(alpha);
  product.beta = *static_cast<const float*>(beta);
  product.a = {a, la.leading, la.stride, held.trans_a == kOpT};
  product.b = {b, lb.leading, lb.stride, held.trans_b == kOpT};
  product.c = {c, lc.leading, lc.stride, false};
  product.d = d;
  product.leading_d = ld.leading;
  product.stride_d = ld.stride;
  product.bias = has_bias(held.epilogue) ? held.bias : nullptr;
  product.end = (held.epilogue & kEndGelu) != 0 ? End::kGelu : (held.epilogue & kEndRelu) != 0 ? End::kRelu : End::kNone;
  product.wrong = asked().number("wrong") == solution;
  product.misbehave();
  const int queued = queue([product, workspace, needed] {
    if (needed > 0) std::memset(workspace, 0x5a, needed);
    return product.compute(), 0;
  });
  return queued == 0 ? kSuccess : kExecutionFailed;
}
#endif
