// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/prelude.h"

#include <algorithm>
#include <map>

#include "core/base/assert.h"
#include "embedded/codegen/common_kernels.h"

namespace fuselab::codegen {
namespace {

// The lines after the licence, the needs and the bound; the needs as a list. Bounds of error are for readers of the file: a
// kernel's text, and with it the identity that its measurements have, does not change when one is worded anew.
struct PreludeFile {
  std::vector<std::string> needs;
  std::string body;
};

PreludeFile read(std::string_view text) {
  PreludeFile file;
  constexpr std::string_view kNeeds = "// needs:";
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.starts_with("// SPDX") || line.starts_with("// bound:")) continue;
    if (!line.starts_with(kNeeds)) {
      file.body.append(line).append("\n");
      continue;
    }
    std::string word;
    for (char c : line.substr(kNeeds.size())) {
      if (c != ' ' && c != ',') {
        word += c;
      } else if (!word.empty()) {
        file.needs.push_back(std::exchange(word, {}));
      }
    }
    if (!word.empty()) file.needs.push_back(word);
  }
  return file;
}

// The store that bypasses the caches; registers wider than the target's are split by the compiler.
std::string stream_text(const Dialect& dialect, IrType type) {
  const int bytes = type.lanes * bits_of(type.dtype) / 8;
  for (const StreamStore& store : dialect.stream_stores) {
    if (store.dtype == type.dtype && store.bytes == bytes) return std::string(store.call);
  }
  return "memcpy(p, &v, sizeof v)";
}

// The lanes of two registers that interleave their halves from `first` on, in a compiler's notation: "0, 4, 1, 5".
std::string interleaved(int lanes, int first) {
  std::string text;
  for (int i = 0; i < lanes; ++i) text += (i > 0 ? ", " : "") + std::to_string(first + i / 2 + i % 2 * lanes);
  return text;
}

std::string fill(std::string_view text, const Dialect& dialect, IrType type) {
  const bool wide = type.dtype == DType::kF64, whole = type.dtype == DType::kU32;
  const std::string lanes = std::to_string(type.lanes);
  const auto stored = [&](DType dtype) {
    const auto found = std::find_if(dialect.storage_types.begin(), dialect.storage_types.end(),
                                    [dtype](const auto& each) { return each.first == dtype; });
    FL_ASSERT(found != dialect.storage_types.end());
    return std::string(found->second);
  };
  const std::map<std::string, std::string> words = {
      {"F", type_name(type)},
      {"I", (wide ? "i64x" : "i32x") + lanes},
      {"S", wide    ? "double"
            : whole ? "uint32_t"
                    : "float"},
      {"T", wide ? "int64_t" : "int32_t"},
      {"U", type_name({type.dtype, 1})},
      {"N", type_name(type)},
      {"L", lanes},
      {"B", std::to_string(type.lanes * bits_of(type.dtype) / 8)},
      {"P", wide ? "pd" : "ps"},
      {"sqrt", wide ? "__builtin_sqrt" : "__builtin_sqrtf"},
      {"stream", stream_text(dialect, type)},
      {"fn", std::string(dialect.function)},
      {"whole", std::string(dialect.index_type)},
      {"natural", stored(DType::kU64)},
      {"schar", stored(DType::kI8)},
      {"sshort", stored(DType::kI16)},
      {"sint", stored(DType::kI32)},
      {"uchar", stored(DType::kU8)},
      {"ushort", stored(DType::kU16)},
      {"uint", stored(DType::kU32)},
      {"low", interleaved(type.lanes, 0)},
      {"high", interleaved(type.lanes, type.lanes / 2)},
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && std::islower(static_cast<unsigned char>(text[end]))) ++end;
    if (end == i + 1) ++end;
    const auto word = words.find(std::string(text.substr(i + 1, end - i - 1)));
    FL_ASSERT(word != words.end());
    out += word->second;
    i = end - 1;
  }
  return out;
}

}  // namespace

std::string type_name(IrType type) {
  return std::string(name_of(type.dtype)) + "x" + std::to_string(type.lanes);
}

std::string_view Prelude::file_of(std::string_view function, DType dtype) const {
  if (const std::string_view own = dialect_.prelude_file(function, dtype); !own.empty()) return own;
  for (const common::EmbeddedFile& file : common::embedded_files()) {
    if (file.name == std::string(function) + ".h") return file.text;
  }
  return {};
}

void Prelude::require(std::string_view function, IrType type) {
  const std::string name(function);
  if (!written_.insert({name, dialect_.prelude_per_type ? type_name(type) : std::string()}).second) return;
  const std::string_view text = file_of(name, type.dtype);
  FL_ASSERT(!text.empty());
  const PreludeFile file = read(text);
  // Functions between lane counts name the one-lane type.
  if (file.body.find("$U") != std::string::npos && type.lanes != 1) require("vector", {type.dtype, 1});
  for (const std::string& need : file.needs) require(need, type);
  text_ += fill(file.body, dialect_, type) + "\n";
}

}  // namespace fuselab::codegen
