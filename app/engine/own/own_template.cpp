// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_template.h"

#include <string>
#include <string_view>

#include "core/platform/files/atomic_file.h"
#include "embedded/engine/own_example.h"

namespace fuselab::engine {
namespace {

std::string_view example_text(std::string_view name) {
  for (const own_example::EmbeddedFile& file : own_example::embedded_files()) {
    if (file.name == name) return file.text;
  }
  FL_ASSERT(false);
}

Status write_new(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return invalid_argument(file.string() + " is there already, and is left as it is");
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

// The example under the names that the user chose.
std::string renamed(std::string_view text, const std::string& stem) {
  std::string all(text);
  for (const std::string_view ending : {".toml", ".c\""}) {
    const std::string from = "stencil" + std::string(ending), to = stem + std::string(ending);
    for (std::size_t at = all.find(from); at != std::string::npos; at = all.find(from, at + to.size()))
      all.replace(at, from.size(), to);
  }
  return all;
}

}  // namespace

Result<std::filesystem::path> write_own_template(const std::filesystem::path& file) {
  if (file.extension() != ".toml") return invalid_argument("the file of a kernel ends in .toml: " + file.stem().string() + ".toml");
  std::filesystem::path source = file;
  source.replace_extension(".c");
  std::error_code ignored;
  if (std::filesystem::exists(source, ignored))
    return invalid_argument(source.string() + " is there already, and is left as it is");
  FL_TRY_VOID(write_new(file, renamed(example_text("stencil.toml"), file.stem().string())));
  FL_TRY_VOID(write_new(source, std::string(example_text("stencil.c"))));
  return source;
}

}  // namespace fuselab::engine
