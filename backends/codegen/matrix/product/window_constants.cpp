// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/window_constants.h"

namespace fuselab::codegen {

std::vector<std::pair<std::string, std::int64_t>> window_constants(const Windows& windows) {
  return {{"kDepth", windows.depth},           {"kHeight", windows.height},        {"kWidth", windows.width},
          {"kOutHeight", windows.out_height},  {"kOutWidth", windows.out_width},   {"kWindowZ", windows.kernel_depth},
          {"kWindowY", windows.kernel_height}, {"kWindowX", windows.kernel_width}, {"kStrideZ", windows.stride_z},
          {"kStrideY", windows.stride_y},      {"kStrideX", windows.stride_x},     {"kPadZ", windows.pad_front},
          {"kPadY", windows.pad_top},          {"kPadX", windows.pad_left},        {"kDilationZ", windows.dilation_z},
          {"kDilationY", windows.dilation_y},  {"kDilationX", windows.dilation_x}};
}

}  // namespace fuselab::codegen
