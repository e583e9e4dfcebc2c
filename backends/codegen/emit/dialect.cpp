// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/dialect.h"

#include "embedded/codegen/kernels.h"

namespace fuselab::codegen {
namespace {

// A function's text for all types, or else for one; the name's end says for which processors, if not for all.
std::string_view c_file(std::string_view function, DType dtype, std::string_view end) {
  const std::string common = std::string(function) + std::string(end);
  const std::string own = std::string(function) + "_" + std::string(name_of(dtype)) + std::string(end);
  std::string_view text;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == common) return file.text;
    if (file.name == own) text = file.text;
  }
  return text;
}

std::string_view portable_file(std::string_view function, DType dtype) {
  return c_file(function, dtype, ".h");
}

std::string_view x86_file(std::string_view function, DType dtype) {
  const std::string_view own = c_file(function, dtype, "_x86.h");
  return own.empty() ? portable_file(function, dtype) : own;
}

}  // namespace

const Dialect& c_dialect() {
  static const Dialect dialect{
      .language = "c",
      .preamble = "",
      .headers = "#include <stdint.h>\n#include <string.h>\n",
      .kernel_open =
          "void {entry}(void* const* buffers, void* scratch, int64_t begin, int64_t end) {\n"
          "  (void)scratch;\n",
      .kernel_close = "}\n",
      .bind_input = "  const {type}* restrict {name} = (const {type}*)buffers[{slot}];\n",
      .bind_output = "  {type}* restrict {name} = ({type}*)buffers[{slot}];\n",
      .between_parameters = "",
      .bind_scratch = "  {type}* restrict {name} = ({type}*)((char*)scratch + {offset});\n",
      .copy = "memcpy({to}, {from}, (size_t)({count}) * sizeof *({to}));",
      .prefetch = "__builtin_prefetch({address}, 0, 2);",
      .fence = "__builtin_ia32_sfence();",
      .unroll = "#pragma GCC unroll {count}",
      .index_type = "int64_t",
      .narrow_index_type = "int64_t",
      .shared_array = "",
      .barrier = "",
      .spelling = {.vector_type = "{type}",
                   .one_lane_type = "{type}",
                   .call = "{function}_{type}",
                   .one_lane_call = "{function}_{type}",
                   .spread = "spread_{type}",
                   .load = "load_{memory}",
                   .store = "store_{memory}",
                   .stream = "stream_{type}",
                   .constant = "splat_{type}({value})",
                   .one_lane_constant = "splat_{type}({value})",
                   .nan = "__builtin_nan{suffix}(\"\")",
                   .infinity = "__builtin_inf{suffix}()"},
      .function = "static inline",
      .prelude_file = x86_file,
      .prelude_per_type = true,
      .storage_types = {{DType::kF64, "double"},
                        {DType::kF32, "float"},
                        {DType::kF16, "uint16_t"},
                        {DType::kBF16, "uint16_t"},
                        {DType::kI64, "int64_t"},
                        {DType::kI32, "int32_t"},
                        {DType::kI8, "int8_t"},
                        {DType::kU8, "uint8_t"},
                        {DType::kBool, "uint8_t"},
                        {DType::kU64, "uint64_t"},
                        {DType::kU32, "uint32_t"},
                        {DType::kU16, "uint16_t"},
                        {DType::kI16, "int16_t"}},
      .real_suffixes = {{DType::kF32, "f"}, {DType::kF64, ""}},
      // GCC's own names; clang has one for all.
      .stream_stores = {{DType::kF32, 16, "__builtin_ia32_movntps(p, v)"},
                        {DType::kF64, 16, "__builtin_ia32_movntpd(p, v)"},
                        {DType::kF32, 32, "__builtin_ia32_movntps256(p, v)"},
                        {DType::kF64, 32, "__builtin_ia32_movntpd256(p, v)"},
                        {DType::kF32, 64, "__builtin_ia32_movntps512(p, v)"},
                        {DType::kF64, 64, "__builtin_ia32_movntpd512(p, v)"}},
  };
  return dialect;
}

const Dialect& c_aarch64_dialect() {
  static const Dialect dialect = [] {
    Dialect aarch64 = c_dialect();
    // memcpy is the one library function that even a freestanding compiler relies on.
    aarch64.headers =
        "#include <stddef.h>\n#include <stdint.h>\n"
        "void* memcpy(void* restrict to, const void* restrict from, size_t bytes);\n";
    aarch64.fence = "";  // STNP is ordered like any other store
    aarch64.prelude_file = portable_file;
    aarch64.stream_stores.clear();
    return aarch64;
  }();
  return dialect;
}

const Dialect* find_c_dialect(std::string_view arch) {
  if (arch == "x86-64") return &c_dialect();
  if (arch == "aarch64") return &c_aarch64_dialect();
  return nullptr;
}

const Dialect* find_simt_dialect(std::string_view arch) {
  for (const Dialect* const dialect : {&cuda_dialect(), &hip_dialect(), &opencl_dialect()}) {
    if (dialect->language == arch) return dialect;
  }
  return nullptr;
}

}  // namespace fuselab::codegen
