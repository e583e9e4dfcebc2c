// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// How one kind of vector is stored past the caches.
struct StreamStore {
  DType dtype;
  int bytes;
  std::string_view call;  // with the pointer p and the vector v
};

// How operations on registers are spelt. {type} is "f32x8", {scalar} one element in the language's words, {lanes} how many,
// {memory} the type again with the element that memory holds, {suffix} that of literals.
struct Spelling {
  std::string_view vector_type;
  std::string_view one_lane_type;
  std::string_view call, one_lane_call;  // of {function}
  std::string_view spread;
  std::string_view load, store, stream;  // names of functions
  std::string_view load_each = {};       // of elements at any address; empty: there is none
  std::string_view constant;             // {value} in every lane
  std::string_view one_lane_constant;
  std::string_view nan, infinity;
};

// A language of the C family as data: the emitter knows no language, it reads this table. `{…}` in texts are filled in.
struct Dialect {
  std::string_view language;     // SourceModule::language
  std::string_view preamble;     // stands before everything else, the module's own comment included
  std::string_view headers;      // first lines after that comment
  std::string_view kernel_open;  // signature, with {entry}, {parameters} and {threads}
  std::string_view kernel_close;
  std::string_view bind_input;  // with {type}, {name}, {slot}
  std::string_view bind_output;
  std::string_view between_parameters;  // not empty: they stand in the signature, with this between
  std::string_view bind_scratch;        // with {type}, {name}, {offset}
  std::string_view copy;                // with {to}, {from}, {count}; pointers and a number of elements
  std::string_view fence;               // after non-temporal stores; may be empty
  std::string_view unroll;              // before an unrolled loop, with {count}
  std::string_view index_type;          // of lanes 0
  std::string_view narrow_index_type;   // of lanes 0 in functions whose indices are small
  std::string_view shared_array;        // of a block's threads, with {scalar}, {name}, {count}
  std::string_view dynamic_array = {};  // the same in a launch's own memory, with {offset}; empty: there is none
  std::string_view barrier;             // for a block's threads
  Spelling spelling;
  // The prelude file of a function for elements of a type, empty where there is none.
  std::string_view (*prelude_file)(std::string_view function, DType dtype);
  bool prelude_per_type;                  // else one text serves all types
  bool prelude_of_plain_numbers = false;  // functions of what is no vector have files, too: whole elements can be written
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

// CUDA C++ upon resources/kernels/cuda/prelude.cuh.
const Dialect& cuda_dialect();
// The prelude that every text of cuda_dialect() begins with, byte for byte.
std::string_view cuda_prelude();

// OpenCL C 1.2 upon resources/kernels/opencl. Needs no extension but cl_khr_fp64 for doubles.
const Dialect& opencl_dialect();

// The dialect of an architecture of many threads, which is called like its language; or null.
const Dialect* find_simt_dialect(std::string_view arch);

}  // namespace fuselab::codegen
