// SPDX-License-Identifier: Apache-2.0
// ResNet-50 v1.5 (He et al. 2015; the stride sits in the 3×3 convolution, as in torchvision), batch normalisation not
// folded, so that folding is left to fusion.
#include <cmath>

#include "core/import/models/builtin_graphs.h"

namespace fuselab::onnx {
namespace {

constexpr int kOpset = 17;

// A feature map on its way through the network.
struct Feature {
  std::string name;
  std::int64_t channels;
  std::int64_t extent;  // height and width
};

class ResNet {
 public:
  OnnxWriter build();

 private:
  Shape shape(std::int64_t channels, std::int64_t extent) const { return {batch_, channels, extent, extent}; }
  Feature convolution(const std::string& name, const Feature& x, std::int64_t filters, std::int64_t kernel, std::int64_t stride);
  Feature batch_norm(const std::string& name, const Feature& x);
  Feature relu(const std::string& name, const Feature& x);
  Feature bottleneck(const Feature& x, std::int64_t width, std::int64_t stride);

  Dim batch_ = Dim::symbol("batch");
  std::string scope_;
  OnnxWriter writer_{"resnet50", "ResNet-50 v1.5 with random weights, written by Fuselab", kOpset};
};

Feature ResNet::convolution(const std::string& name, const Feature& x, std::int64_t filters, std::int64_t kernel,
                            std::int64_t stride) {
  const std::int64_t pad = kernel / 2;
  const std::int64_t extent = (x.extent + 2 * pad - kernel) / stride + 1;
  // He initialisation keeps the activations' size over the layers.
  const double scale = std::sqrt(2.0 / static_cast<double>(x.channels * kernel * kernel));
  const auto weight = writer_.weight(scope_ + "." + name + ".weight", {filters, x.channels, kernel, kernel}, 0.0, scale);
  Feature result{writer_.node("Conv", name + "/Conv", {x.name, weight}, shape(filters, extent)), filters, extent};
  writer_.with("dilations", std::vector<std::int64_t>{1, 1}).with("group", 1);
  writer_.with("kernel_shape", std::vector<std::int64_t>{kernel, kernel});
  writer_.with("pads", std::vector<std::int64_t>{pad, pad, pad, pad}).with("strides", std::vector<std::int64_t>{stride, stride});
  return result;
}

Feature ResNet::batch_norm(const std::string& name, const Feature& x) {
  const std::string prefix = scope_ + "." + name;
  const auto gamma = writer_.weight(prefix + ".weight", {x.channels}, 1.0, 0.1);
  const auto beta = writer_.weight(prefix + ".bias", {x.channels}, 0.0, 0.1);
  const auto mean = writer_.weight(prefix + ".running_mean", {x.channels}, 0.0, 0.1);
  const auto variance = writer_.positive(prefix + ".running_var", x.channels);
  const auto y = writer_.node("BatchNormalization", name + "/BatchNormalization", {x.name, gamma, beta, mean, variance},
                              shape(x.channels, x.extent));
  writer_.with_real("epsilon", 1e-5f);
  return {y, x.channels, x.extent};
}

Feature ResNet::relu(const std::string& name, const Feature& x) {
  return {writer_.node("Relu", name + "/Relu", {x.name}, shape(x.channels, x.extent)), x.channels, x.extent};
}

Feature ResNet::bottleneck(const Feature& x, std::int64_t width, std::int64_t stride) {
  constexpr std::int64_t kExpansion = 4;
  Feature y = relu("relu", batch_norm("bn1", convolution("conv1", x, width, 1, 1)));
  y = relu("relu_1", batch_norm("bn2", convolution("conv2", y, width, 3, stride)));
  y = batch_norm("bn3", convolution("conv3", y, width * kExpansion, 1, 1));
  Feature identity = x;
  if (stride != 1 || x.channels != y.channels) {
    identity = batch_norm("downsample.1", convolution("downsample.0", x, y.channels, 1, stride));
  }
  y.name = writer_.node("Add", "Add", {y.name, identity.name}, shape(y.channels, y.extent));
  return relu("relu_2", y);
}

OnnxWriter ResNet::build() {
  Feature x{writer_.input("image", shape(3, 224)), 3, 224};
  writer_.enter("/stem");
  scope_ = "stem";
  x = relu("relu", batch_norm("bn1", convolution("conv1", x, 64, 7, 2)));
  x.extent = 56;
  x.name = writer_.node("MaxPool", "maxpool/MaxPool", {x.name}, shape(64, 56));
  writer_.with("kernel_shape", std::vector<std::int64_t>{3, 3}).with("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  writer_.with("strides", std::vector<std::int64_t>{2, 2});

  constexpr int kBlocks[] = {3, 4, 6, 3};
  std::int64_t width = 64;
  for (int stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      scope_ = name;
      writer_.enter("/layer" + std::to_string(stage + 1) + "/" + std::to_string(block));
      x = bottleneck(x, width, stage > 0 && block == 0 ? 2 : 1);
    }
  }

  writer_.enter("/head");
  const auto pooled = writer_.node("GlobalAveragePool", "avgpool/GlobalAveragePool", {x.name}, shape(x.channels, 1));
  const auto flat = writer_.node("Flatten", "Flatten", {pooled}, {batch_, x.channels});
  writer_.with("axis", 1);
  const auto weight = writer_.weight("fc.weight", {1000, x.channels}, 0.0, 0.02);
  const auto bias = writer_.weight("fc.bias", {1000}, 0.0, 0.02);
  const auto logits = writer_.node("Gemm", "fc/Gemm", {flat, weight, bias}, {batch_, 1000});
  writer_.with("transB", 1);
  writer_.output(logits, {batch_, 1000});
  return std::move(writer_);
}

}  // namespace

OnnxWriter resnet50() {
  return ResNet().build();
}

}  // namespace fuselab::onnx
