// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/ir/names.h"

#include <cctype>

namespace fuselab::codegen {
namespace {

// C keywords and what the kernel's frame declares itself.
const std::set<std::string>& reserved() {
  static const std::set<std::string> words = {"auto",      "break",      "case",       "char",         "const",
                                              "continue",  "default",    "do",         "double",       "else",
                                              "enum",      "for",        "extern",     "float",        "goto",
                                              "if",        "inline",     "int",        "long",         "register",
                                              "restrict",  "return",     "short",      "signed",       "sizeof",
                                              "static",    "struct",     "switch",     "typedef",      "union",
                                              "unsigned",  "void",       "volatile",   "while",        "buffers",
                                              "scratch",   "begin",      "end",        "task",         "row",
                                              "col",       "at",         "u",          "memcpy",       "i",
                                              "j",         "k",          "left",       "right",        "total",
                                              "part",      "channel",    "ky",         "kx",           "from_y",
                                              "from_x",    "pixel",      "batch",      "left_at",      "right_at",
                                              "first_row", "last_row",   "first_col",  "last_col",     "key",
                                              "query_at",  "key_at",     "value_at",   "mask_at",      "result_at",
                                              "largest",   "largest_of", "weight",     "weight_sum",   "weight_parts",
                                              "inverse",   "keys_seen",  "rows_seen",  "columns_seen", "window_mean",
                                              "barrier",   "half",       "bool",       "uchar",        "ushort",
                                              "uint",      "ulong",      "kernel",     "global",       "local",
                                              "constant",  "private",    "event_t",    "sampler_t",    "read_only",
                                              "NAN",       "INFINITY",   "write_only", "read_write"};
  return words;
}

// OpenCL's: "float4", "uchar16".
bool is_vector_type(std::string_view name) {
  const auto lanes = name.find_last_not_of("0123456789") + 1;
  return lanes > 0 && lanes < name.size() && (reserved().contains(std::string(name.substr(0, lanes))));
}

}  // namespace

std::string Names::unique(const std::string& wish) {
  std::string name;
  for (char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "v" + name;
  if (name.size() > 40) name.resize(40);
  if (reserved().contains(name) || name.starts_with("get_") || is_vector_type(name)) name += "_";
  // The prelude's primitives begin so.
  if (name.starts_with("fl_") || name.starts_with("FL_")) name = "v_" + name;
  std::string fresh = name;
  for (int i = 2; !taken_.insert(fresh).second; ++i) fresh = name + "_" + std::to_string(i);
  return fresh;
}

Names simt_names() {
  return Names({"alignas", "alignof",   "and",       "asm",       "block_row", "bool",     "catch",    "chunk",   "class",
                "col",     "constexpr", "decltype",  "delete",    "explicit",  "export",   "false",    "friend",  "group",
                "lane",    "live",      "mutable",   "namespace", "new",       "noexcept", "not",      "nullptr", "operator",
                "or",      "private",   "protected", "public",    "row",       "template", "this",     "thread",  "throw",
                "tile",    "true",      "try",       "typeid",    "typename",  "using",    "vec",      "virtual", "wanted_row",
                "xor",     "wchar_t",   "threadIdx", "blockIdx",  "blockDim",  "gridDim",  "warpSize", "uint2",   "uint4",
                "global",  "local",     "constant",  "kernel",    "half",      "uniform",  "pipe",     "uchar",   "ushort",
                "head",    "edge",      "uint",      "ulong",     "vload2",    "vload4",   "vload8",   "vload16", "vstore2",
                "vstore4", "vstore8",   "vstore16",  "part",      "partials",  "NAN",      "INFINITY"});
}

}  // namespace fuselab::codegen
