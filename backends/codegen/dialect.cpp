// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/dialect.h"

namespace fuselab::codegen {

const Dialect& c_dialect() {
  static const Dialect dialect{
      .language = "c",
      .headers = "#include <stdint.h>\n#include <string.h>\n",
      .kernel_open =
          "void {entry}(void* const* buffers, void* scratch, int64_t begin, int64_t end) {\n"
          "  (void)scratch;\n",
      .kernel_close = "}\n",
      .bind_input = "  const {type}* restrict {name} = (const {type}*)buffers[{slot}];\n",
      .bind_output = "  {type}* restrict {name} = ({type}*)buffers[{slot}];\n",
      .bind_scratch = "  {type}* restrict {name} = ({type}*)((char*)scratch + {offset});\n",
      .copy = "memcpy({to}, {from}, (size_t)({count}) * sizeof *({to}));",
      .fence = "__builtin_ia32_sfence();",
      .unroll = "#pragma GCC unroll {count}",
      .index_type = "int64_t",
      .prelude_folder = "c",
      .storage_types = {{DType::kF64, "double"},
                        {DType::kF32, "float"},
                        {DType::kF16, "uint16_t"},
                        {DType::kBF16, "uint16_t"},
                        {DType::kI64, "int64_t"},
                        {DType::kI32, "int32_t"},
                        {DType::kI8, "int8_t"},
                        {DType::kU8, "uint8_t"},
                        {DType::kBool, "uint8_t"}},
      .real_suffixes = {{DType::kF32, "f"}, {DType::kF64, ""}},
  };
  return dialect;
}

}  // namespace fuselab::codegen
