// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/dialect.h"
#include "embedded/codegen/cuda_kernels.h"
#include "embedded/codegen/cuda_matrix_kernels.h"

namespace fuselab::codegen {
namespace {

// Templates serve every type, so a function's file is found by its name alone.
std::string_view cuda_file(std::string_view function, DType) {
  const std::string name = std::string(function) + ".cuh";
  for (const cuda::EmbeddedFile& file : cuda::embedded_files()) {
    if (file.name == name) return file.text;
  }
  return {};
}

}  // namespace

std::string_view cuda_prelude() {
  return cuda_file("prelude", DType::kF32);
}

std::string_view cuda_matrix_prelude() {
  static const std::string kText = [] {
    std::string text;
    for (const matrix::EmbeddedFile& file : matrix::embedded_files()) text += file.text;
    return text;
  }();
  return kText;
}

const Dialect& cuda_dialect() {
  static const Dialect dialect{
      .language = "cuda",
      .preamble = cuda_prelude(),
      .matrix_preamble = cuda_matrix_prelude(),
      .headers = "",
      .kernel_open = "extern \"C\" FL_KERNEL({threads}){cluster} void {entry}({parameters}) {\n",
      .kernel_close = "}\n",
      .bind_input = "\n    const {type}* FL_RESTRICT {name}",
      .bind_output = "\n    {type}* FL_RESTRICT {name}",
      .between_parameters = ",",
      .bind_scratch = "",
      .copy = "",
      .fence = "",
      .unroll = "#pragma unroll {count}",
      .index_type = "long long",
      .narrow_index_type = "int",
      .shared_array = "FL_SHARED({scalar}, {name}, {count});",
      .dynamic_array = "FL_DYNAMIC_SHARED({scalar}, {name}, {count}, {offset});",
      .barrier = "fl_barrier();",
      .spelling = {.vector_type = "fl_vec<{scalar}, {lanes}>",
                   .one_lane_type = "{scalar}",
                   .call = "fl_{function}_lanes",
                   .one_lane_call = "fl_{function}",
                   .spread = "fl_spread<{lanes}>",
                   .real = "static_cast<{scalar}>",
                   .load = "fl_read<{scalar}, {lanes}>",
                   .store = "fl_write",
                   .stream = "fl_write_streaming",
                   .load_each = "fl_read_each<{scalar}, {lanes}>",
                   .constant = "fl_spread<{lanes}>({value})",
                   .one_lane_constant = "{value}",
                   .nan = "fl_nan<{scalar}>()",
                   .infinity = "fl_infinity<{scalar}>()"},
      .function = "FL_DEVICE",
      .prelude_file = cuda_file,
      .prelude_per_type = false,
      .storage_types = {{DType::kF64, "double"},
                        {DType::kF32, "float"},
                        {DType::kF16, "fl_f16"},
                        {DType::kBF16, "fl_bf16"},
                        {DType::kI64, "long long"},
                        {DType::kI32, "int"},
                        {DType::kI8, "signed char"},
                        {DType::kU8, "unsigned char"},
                        {DType::kBool, "unsigned char"},
                        {DType::kU64, "unsigned long long"},
                        {DType::kU32, "unsigned"},
                        {DType::kU16, "unsigned short"},
                        {DType::kI16, "short"}},
      .real_suffixes = {{DType::kF32, "f"}, {DType::kF64, ""}},
      .stream_stores = {},
  };
  return dialect;
}

}  // namespace fuselab::codegen
