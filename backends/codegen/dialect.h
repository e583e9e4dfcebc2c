// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/codegen/ir.h"

namespace fuselab::codegen {

// How one kind of vector is stored past the caches.
struct StreamStore {
  DType dtype;
  int bytes;
  std::string_view call;  // with the pointer p and the vector v
};

// A language of the C family as data: the emitter knows no language, it reads this table. `{…}` in texts are filled in.
struct Dialect {
  std::string_view language;     // SourceModule::language
  std::string_view headers;      // first lines of every module
  std::string_view kernel_open;  // signature, with {entry} and {task}
  std::string_view kernel_close;
  std::string_view bind_input;  // with {type}, {name}, {slot}
  std::string_view bind_output;
  std::string_view bind_scratch;                                  // with {type}, {name}, {offset}
  std::string_view copy;                                          // with {to}, {from}, {count}; pointers and a number of elements
  std::string_view fence;                                         // after non-temporal stores; may be empty
  std::string_view unroll;                                        // before an unrolled loop, with {count}
  std::string_view index_type;                                    // of lanes 0
  std::vector<std::pair<DType, std::string_view>> storage_types;  // how memory of a dtype is declared
  std::vector<std::pair<DType, std::string_view>> real_suffixes;  // of literals
  std::vector<StreamStore> stream_stores;                         // other vectors are stored like any
};

// C11 with the vector extensions that GCC and clang share, for x86-64.
const Dialect& c_dialect();
// The same for aarch64, whose NEON registers the compiler picks by itself. Needs no header of a C library.
const Dialect& c_aarch64_dialect();
// The dialect for an architecture, or null.
const Dialect* find_c_dialect(std::string_view arch);

}  // namespace fuselab::codegen
