// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "backends/loading/vendor_library.h"
#include "backends/onednn/abi/onednn3_abi.h"
#include "backends/onednn/library/onednn_library.h"
#include "backends/onednn/library/primitive_calls.h"

namespace fuselab::onednn {
namespace {

using namespace abi3;

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<loading::Symbol> symbols(Functions3& f) {
  return {{"dnnl_memory_desc_create_with_strides", slot(f.memory_of_strides)},
          {"dnnl_memory_desc_create_with_tag", slot(f.memory_of_tag)},
          {"dnnl_memory_desc_destroy", slot(f.destroy_memory_desc)},
          {"dnnl_post_ops_append_eltwise", slot(f.append_eltwise)},
          {"dnnl_matmul_primitive_desc_create", slot(f.matmul)},
          {"dnnl_convolution_forward_primitive_desc_create", slot(f.convolution)},
          {"dnnl_softmax_forward_primitive_desc_create", slot(f.softmax)},
          {"dnnl_layer_normalization_forward_primitive_desc_create", slot(f.layer_normalization)},
          {"dnnl_batch_normalization_forward_primitive_desc_create", slot(f.batch_normalization)},
          {"dnnl_pooling_forward_primitive_desc_create", slot(f.pooling)},
          {"dnnl_eltwise_forward_primitive_desc_create", slot(f.eltwise)},
          {"dnnl_binary_primitive_desc_create", slot(f.binary)},
          {"dnnl_reduction_primitive_desc_create", slot(f.reduction)}};
}

int eltwise_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRelu: return kRelu;
    case Algorithm::kTanh: return kTanh;
    case Algorithm::kAbs: return kAbs;
    case Algorithm::kSqrt: return kSqrt;
    case Algorithm::kLinear: return kLinear;
    case Algorithm::kLogistic: return kLogistic;
    case Algorithm::kExp: return kExp;
    case Algorithm::kGeluTanh: return kGeluTanh;
    case Algorithm::kGeluErf: return kGeluErf;
    case Algorithm::kSwish: return kSwish;
    case Algorithm::kLog: return kLog;
    case Algorithm::kClip: return kClip;
    case Algorithm::kPow: return kPow;
    default: return kRound;
  }
}

class CallsOfMajor3 final : public PrimitiveCalls {
 public:
  explicit CallsOfMajor3(const Functions3& functions) : call_(functions) {}

  Result<MemoryDescriptor> memory(const Layout& layout, bool library_chooses) const override {
    const auto dtype = data_type_of(layout.dtype);
    if (!dtype) return Error{ErrorCode::kUnsupported, "oneDNN has no type " + std::string(name_of(layout.dtype))};
    const int rank = static_cast<int>(layout.dims.size());
    OwnMemoryDesc made = nullptr;
    FL_TRY_VOID(OneDnnLibrary::check(library_chooses
                                         ? call_.memory_of_tag(&made, rank, layout.dims.data(), *dtype, kFormatTagAny)
                                         : call_.memory_of_strides(&made, rank, layout.dims.data(), *dtype, layout.strides.data()),
                                     "describing a tensor"));
    return MemoryDescriptor(std::shared_ptr<const void>(
        made, [destroy = call_.destroy_memory_desc](const void* held) { destroy(const_cast<OwnMemoryDesc>(held)); }));
  }

  abi::Code append_eltwise(PostOps to, Algorithm algorithm, float alpha, float beta) const override {
    return call_.append_eltwise(to, eltwise_of(algorithm), alpha, beta);
  }

  abi::Code describe(Description* out, Engine engine, const PrimitiveSpec& spec, const DescribedOperands& of,
                     Attributes attributes) const override {
    const int algorithm = is_eltwise(spec.algorithm) ? eltwise_of(spec.algorithm) : algorithm_of(spec.algorithm);
    const unsigned affine = (spec.scale ? kUseScale : 0) | (spec.shift ? kUseShift : 0);
    switch (spec.kind) {
      case PrimitiveKind::kMatMul: return call_.matmul(out, engine, of.source, of.weights, of.bias, of.destination, attributes);
      case PrimitiveKind::kConvolution:
        return call_.convolution(out, engine, kForwardInference, kConvolutionDirect, of.source, of.weights, of.bias, of.destination,
                                 spec.strides.data(), spec.dilates.data(), spec.padding_before.data(), spec.padding_after.data(),
                                 attributes);
      case PrimitiveKind::kSoftmax:
        return call_.softmax(out, engine, kForwardInference, algorithm, of.source, of.destination, spec.axis, attributes);
      case PrimitiveKind::kLayerNormalization:
        return call_.layer_normalization(out, engine, kForwardInference, of.source, of.destination, nullptr, spec.epsilon, affine,
                                         attributes);
      case PrimitiveKind::kBatchNormalization:
        return call_.batch_normalization(out, engine, kForwardInference, of.source, of.destination, spec.epsilon,
                                         affine | kUseGlobalStatistics, attributes);
      case PrimitiveKind::kPooling:
        return call_.pooling(out, engine, kForwardInference, algorithm, of.source, of.destination, spec.strides.data(),
                             spec.window.data(), spec.dilates.data(), spec.padding_before.data(), spec.padding_after.data(),
                             attributes);
      case PrimitiveKind::kEltwise:
        return call_.eltwise(out, engine, kForwardInference, algorithm, of.source, of.destination, spec.alpha, spec.beta,
                             attributes);
      case PrimitiveKind::kBinary: return call_.binary(out, engine, algorithm, of.source, of.weights, of.destination, attributes);
      case PrimitiveKind::kReduction: return call_.reduction(out, engine, algorithm, of.source, of.destination, 0, 0, attributes);
      case PrimitiveKind::kReorder: return kInvalidArguments;  // described by both majors alike
    }
    return kInvalidArguments;
  }

 private:
  Functions3 call_;
};

}  // namespace

Result<std::unique_ptr<PrimitiveCalls>> calls_of_major_3(const loading::OpenedLibrary& library) {
  Functions3 functions{};
  FL_TRY_VOID(loading::resolve(library, symbols(functions)));
  return std::unique_ptr<PrimitiveCalls>(std::make_unique<CallsOfMajor3>(functions));
}

}  // namespace fuselab::onednn
