// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/dialect.h"
#include "embedded/codegen/opencl_kernels.h"

namespace fuselab::codegen {
namespace {

// A function's text for all types, or else for one.
std::string_view opencl_file(std::string_view function, DType dtype) {
  const std::string common = std::string(function) + ".cl";
  const std::string own = std::string(function) + "_" + std::string(name_of(dtype)) + ".cl";
  std::string_view text;
  for (const opencl::EmbeddedFile& file : opencl::embedded_files()) {
    if (file.name == common) return file.text;
    if (file.name == own) text = file.text;
  }
  return text;
}

}  // namespace

const Dialect& opencl_dialect() {
  static const Dialect dialect{
      .language = "opencl",
      .preamble = opencl_file("prelude", DType::kF32),
      .headers = "",
      .kernel_open = "__kernel __attribute__((reqd_work_group_size({threads}, 1, 1)))\nvoid {entry}({parameters}) {\n",
      .kernel_close = "}\n",
      .bind_input = "\n    const __global {type}* restrict {name}",
      .bind_output = "\n    __global {type}* restrict {name}",
      .between_parameters = ",",
      .counter = "fl_met",
      .bind_counter = "\n    __global long* fl_met",
      .bind_scratch = "",
      .copy = "",
      .fence = "",
      .unroll = "#pragma unroll {count}",
      .index_type = "long",
      .narrow_index_type = "int",
      .shared_array = "__local {scalar} {name}[{count}];",
      .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
      .spelling = {.vector_type = "{type}",
                   .one_lane_type = "{type}",
                   .call = "{function}_{type}",
                   .one_lane_call = "{function}_{type}",
                   .spread = "spread_{type}",
                   .load = "load_{memory}",
                   .store = "store_{memory}",
                   .stream = "store_{memory}",
                   .constant = "({type})({value})",
                   .one_lane_constant = "{value}",
                   .nan = "({scalar})NAN",
                   .infinity = "({scalar})INFINITY"},
      .function = "static",
      .prelude_file = opencl_file,
      .prelude_per_type = true,
      .storage_types = {{DType::kF64, "double"},
                        {DType::kF32, "float"},
                        {DType::kF16, "half"},
                        {DType::kBF16, "ushort"},
                        {DType::kI64, "long"},
                        {DType::kI32, "int"},
                        {DType::kI8, "char"},
                        {DType::kU8, "uchar"},
                        {DType::kBool, "uchar"},
                        {DType::kU64, "ulong"},
                        {DType::kU32, "uint"},
                        {DType::kU16, "ushort"},
                        {DType::kI16, "short"}},
      .real_suffixes = {{DType::kF32, "f"}, {DType::kF64, ""}},
      .stream_stores = {},
  };
  return dialect;
}

}  // namespace fuselab::codegen
