// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// The store that bypasses the caches for one type of vector.
struct StreamStore {
  DType dtype;
  int bytes;
  std::string_view call;  // with the pointer p and the vector v
};

// The spelling of operations on registers. {type} is "f32x8", {scalar} one element in the language's words, {lanes} how many,
// {memory} the type with the element that memory holds, {suffix} that of literals.
struct Spelling {
  std::string_view vector_type;
  std::string_view one_lane_type;
  std::string_view call, one_lane_call;  // of a prelude function, with {function}
  std::string_view spread;
  std::string_view real = {};            // a plain integer as a real; empty: a prelude function like any other
  std::string_view load, store, stream;  // names of functions
  std::string_view load_each = {};       // loads elements from any address; empty: there is none
  std::string_view constant;             // a register with {value} in every lane
  std::string_view one_lane_constant;
  std::string_view nan, infinity;
};

// A language of the C family as data, which the emitter reads. `{…}` in its texts are filled in.
struct Dialect {
  std::string_view language;              // SourceModule::language
  std::string_view preamble;              // precedes everything else, the module's own comment included
  std::string_view matrix_preamble = {};  // directly behind it, in modules that use matrix units or the copy engine
  std::string_view headers;               // first lines after that comment
  std::string_view kernel_open;           // signature, with {entry}, {parameters}, {threads}, {cluster} and {lanes}
  std::string_view kernel_close;
  std::string_view bind_input;  // with {type}, {name}, {slot}
  std::string_view bind_output;
  std::string_view between_parameters;  // not empty: parameters are in the signature, separated by this
  std::string_view counter = {};        // where indices out of range are counted, a last parameter; empty: a global of the module
  std::string_view bind_counter = {};   // its declaration
  std::string_view bind_scratch;        // with {type}, {name}, {offset}
  std::string_view copy;                // with {to}, {from}, {count}; pointers and a number of elements
  std::string_view prefetch = {};       // with {address}; empty: there is none
  std::string_view fence;               // after non-temporal stores; may be empty
  std::string_view unroll;              // before an unrolled loop, with {count}
  std::string_view kept_loop = {};      // before a serial loop with a barrier in it; empty: the compiler may unroll it
  std::string_view index_type;          // type of plain integers (IrType with 0 lanes)
  std::string_view narrow_index_type;   // the same in functions whose indices are small
  std::string_view shared_array;        // array shared by a block's threads, with {scalar}, {name}, {count}
  std::string_view dynamic_array = {};  // the same in memory that a launch provides, with {offset}; empty: there is none
  std::string_view barrier;             // for a block's threads
  Spelling spelling;
  std::string_view function;  // what a function of the prelude begins with
  // Returns the prelude file of a function for elements of a type; empty where there is none.
  std::string_view (*prelude_file)(std::string_view function, DType dtype);
  bool prelude_per_type;                                          // false: one text serves all types
  std::vector<std::pair<DType, std::string_view>> storage_types;  // the type by which memory of a dtype is declared
  std::vector<std::pair<DType, std::string_view>> real_suffixes;  // of literals
  std::vector<StreamStore> stream_stores;                         // other vectors are stored in the ordinary way
};

// Returns C11 with the vector extensions that GCC and clang share, for x86-64.
const Dialect& c_dialect();
// Returns the same for aarch64, whose NEON registers the compiler chooses by itself. Needs no header of a C library.
const Dialect& c_aarch64_dialect();
// Returns the C dialect for an architecture, or null.
const Dialect* find_c_dialect(std::string_view arch);

// Returns CUDA C++ based on resources/kernels/cuda/prelude.cuh.
const Dialect& cuda_dialect();
// Returns the prelude that every text of cuda_dialect() begins with, byte for byte.
std::string_view cuda_prelude();
// Returns the second prelude: matrix units, asynchronous parts, phases, the copy engine, clusters, warpgroups (cuda/matrix).
std::string_view cuda_matrix_prelude();

// Returns C++ for AMD's GPUs, as clang -x hip takes it, based on resources/kernels/hip and on the templates of CUDA.
const Dialect& hip_dialect();

// Returns OpenCL C 1.2 based on resources/kernels/opencl. Needs no extension but cl_khr_fp64 for doubles.
const Dialect& opencl_dialect();

// Returns the dialect of an architecture of many threads, which has the language's name, or null.
const Dialect* find_simt_dialect(std::string_view arch);

}  // namespace fuselab::codegen
