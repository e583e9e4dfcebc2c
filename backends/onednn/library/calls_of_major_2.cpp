// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "backends/loading/vendor_library.h"
#include "backends/onednn/abi/onednn2_abi.h"
#include "backends/onednn/library/onednn_library.h"
#include "backends/onednn/library/primitive_calls.h"

namespace fuselab::onednn {
namespace {

using namespace abi2;

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

std::vector<loading::Symbol> symbols(Functions2& f) {
  return {{"dnnl_memory_desc_init_by_strides", slot(f.memory_of_strides)},
          {"dnnl_memory_desc_init_by_tag", slot(f.memory_of_tag)},
          {"dnnl_post_ops_append_eltwise", slot(f.append_eltwise)},
          {"dnnl_primitive_desc_create", slot(f.describe)},
          {"dnnl_matmul_desc_init", slot(f.matmul)},
          {"dnnl_dilated_convolution_forward_desc_init", slot(f.convolution)},
          {"dnnl_softmax_v2_forward_desc_init", slot(f.softmax)},
          {"dnnl_layer_normalization_forward_desc_init", slot(f.layer_normalization)},
          {"dnnl_batch_normalization_forward_desc_init", slot(f.batch_normalization)},
          {"dnnl_pooling_v2_forward_desc_init", slot(f.pooling)},
          {"dnnl_eltwise_forward_desc_init", slot(f.eltwise)},
          {"dnnl_binary_desc_init", slot(f.binary)},
          {"dnnl_reduction_desc_init", slot(f.reduction)}};
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

// Source and destination lie alike: the library is told of one of them.
bool has_one_description(PrimitiveKind kind) {
  return kind == PrimitiveKind::kEltwise || kind == PrimitiveKind::kLayerNormalization ||
         kind == PrimitiveKind::kBatchNormalization;
}

class CallsOfMajor2 final : public PrimitiveCalls {
 public:
  explicit CallsOfMajor2(const Functions2& functions) : call_(functions) {}

  Result<MemoryDescriptor> memory(const Layout& layout, bool library_chooses) const override {
    const auto dtype = data_type_of(layout.dtype);
    if (!dtype) return Error{ErrorCode::kUnsupported, "oneDNN has no type " + std::string(name_of(layout.dtype))};
    auto storage = std::make_shared<MemoryStorage>();
    const int rank = static_cast<int>(layout.dims.size());
    FL_TRY_VOID(OneDnnLibrary::check(
        library_chooses ? call_.memory_of_tag(storage.get(), rank, layout.dims.data(), *dtype, kFormatTagAny)
                        : call_.memory_of_strides(storage.get(), rank, layout.dims.data(), *dtype, layout.strides.data()),
        "describing a tensor"));
    return MemoryDescriptor(std::move(storage));
  }

  abi::Code append_eltwise(PostOps to, Algorithm algorithm, float alpha, float beta) const override {
    return call_.append_eltwise(to, 1.0F, eltwise_of(algorithm), alpha, beta);
  }

  abi::Code describe(Description* out, Engine engine, const PrimitiveSpec& spec, const DescribedOperands& operands,
                     Attributes attributes) const override {
    if (has_one_description(spec.kind) && with_sound_strides(spec.source.layout) != with_sound_strides(spec.destination.layout)) {
      return kUnimplemented;
    }
    const auto operation = std::make_unique<OperationStorage>();
    const abi::Code status = begin(operation.get(), spec, operands);
    return status == kSuccess ? call_.describe(out, operation.get(), attributes, engine, nullptr) : status;
  }

 private:
  abi::Code begin(OperationStorage* to, const PrimitiveSpec& spec, const DescribedOperands& of) const {
    const int algorithm = is_eltwise(spec.algorithm) ? eltwise_of(spec.algorithm) : algorithm_of(spec.algorithm);
    const unsigned affine = (spec.scale ? kUseScale : 0) | (spec.shift ? kUseShift : 0);
    switch (spec.kind) {
      case PrimitiveKind::kMatMul: return call_.matmul(to, of.source, of.weights, of.bias, of.destination);
      case PrimitiveKind::kConvolution:
        return call_.convolution(to, kForwardInference, kConvolutionDirect, of.source, of.weights, of.bias, of.destination,
                                 spec.strides.data(), spec.dilates.data(), spec.padding_before.data(), spec.padding_after.data());
      case PrimitiveKind::kSoftmax: return call_.softmax(to, kForwardInference, algorithm, of.source, of.destination, spec.axis);
      case PrimitiveKind::kLayerNormalization:
        return call_.layer_normalization(to, kForwardInference, of.source, nullptr, spec.epsilon, affine);
      case PrimitiveKind::kBatchNormalization:
        return call_.batch_normalization(to, kForwardInference, of.source, spec.epsilon, affine | kUseGlobalStatistics);
      case PrimitiveKind::kPooling:
        return call_.pooling(to, kForwardInference, algorithm, of.source, of.destination, spec.strides.data(), spec.window.data(),
                             spec.dilates.data(), spec.padding_before.data(), spec.padding_after.data());
      case PrimitiveKind::kEltwise: return call_.eltwise(to, kForwardInference, algorithm, of.source, spec.alpha, spec.beta);
      case PrimitiveKind::kBinary: return call_.binary(to, algorithm, of.source, of.weights, of.destination);
      case PrimitiveKind::kReduction: return call_.reduction(to, algorithm, of.source, of.destination, 0, 0);
      case PrimitiveKind::kReorder: return kInvalidArguments;  // described by both majors alike
    }
    return kInvalidArguments;
  }

  Functions2 call_;
};

}  // namespace

Result<std::unique_ptr<PrimitiveCalls>> calls_of_major_2(const loading::OpenedLibrary& library) {
  Functions2 functions{};
  FL_TRY_VOID(loading::resolve(library, symbols(functions)));
  return std::unique_ptr<PrimitiveCalls>(std::make_unique<CallsOfMajor2>(functions));
}

}  // namespace fuselab::onednn
