// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/dialect.h"
#include "embedded/codegen/hip_kernels.h"

namespace fuselab::codegen {
namespace {

// What differs from CUDA has a file of its own; the templates serve both.
std::string_view hip_file(std::string_view function, DType dtype) {
  const std::string name = std::string(function) + ".h";
  for (const hip::EmbeddedFile& file : hip::embedded_files()) {
    if (file.name == name) return file.text;
  }
  return cuda_dialect().prelude_file(function, dtype);
}

}  // namespace

const Dialect& hip_dialect() {
  static const Dialect kDialect = [] {
    Dialect dialect = cuda_dialect();
    dialect.language = "hip";
    dialect.preamble = hip_file("prelude", DType::kF32);
    dialect.matrix_preamble = hip_file("matrix", DType::kF32);
    dialect.kernel_open = "extern \"C\" FL_KERNEL({threads}) FL_WAVEFRONT({lanes}) void {entry}({parameters}) {\n";
    dialect.prelude_file = hip_file;
    // Tiles of a short product, unrolled, would all be read ahead: more registers than there are.
    dialect.kept_loop = "#pragma unroll 1";
    return dialect;
  }();
  return kDialect;
}

}  // namespace fuselab::codegen
