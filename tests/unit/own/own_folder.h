// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

#include "app/engine/own/own_file.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {

// A folder with the files of a kernel; some of them changed.
class OwnFolder {
 public:
  OwnFolder() {
    write("twice.c",
          "void twice(const float* x, float* y, long task) {\n  for (long i = 0; i < each; ++i) y[task * each + i] = 2 * x[task * "
          "each + i];\n}\n");
    write("twice.toml", kTwice);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.path() / name) << text; }
  // Writes the file of the kernel with one text in place of another.
  void change(const std::string& from, const std::string& to) {
    std::string text = kTwice;
    text.replace(text.find(from), from.size(), to);
    write("twice.toml", text);
  }
  Result<OwnFile> read(const Bindings& sizes = {}) { return read_own_file(folder_.path() / "twice.toml", sizes); }
  // The message that reading it fails with; empty: it is read.
  std::string error() {
    const auto own = read();
    return own.ok() ? "" : own.error().message;
  }
  std::string error_with(const std::string& from, const std::string& to) {
    change(from, to);
    return error();
  }
  std::filesystem::path path() const { return folder_.path(); }

  static constexpr const char* kTwice =
      "language = \"c\"\n"                                              // line 1
      "source = \"twice.c\"\n"                                          // 2
      "function = \"twice\"\n"                                          // 3
      "reference = \"graph(x: f32[n]) { y = Add(x, x); return y }\"\n"  // 4
      "[sizes]\n"                                                       // 5
      "n = 64\n"                                                        // 6
      "[[argument]]\n"                                                  // 7
      "name = \"x\"\n"                                                  // 8
      "role = \"in\"\n"                                                 // 9
      "type = \"f32\"\n"                                                // 10
      "shape = [\"n\"]\n"                                               // 11
      "[[argument]]\n"                                                  // 12
      "name = \"y\"\n"                                                  // 13
      "role = \"out\"\n"                                                // 14
      "type = \"f32\"\n"                                                // 15
      "shape = [\"n\"]\n"                                               // 16
      "[[argument]]\n"                                                  // 17
      "name = \"task\"\n"                                               // 18
      "role = \"task\"\n"                                               // 19
      "[launch]\n"                                                      // 20
      "tasks = \"n / each\"\n"                                          // 21
      "[parameters]\n"                                                  // 22
      "each = { values = [1, 2, 4, 8], default = 4 }\n"                 // 23
      "[[constraint]]\n"                                                // 24
      "expression = \"each <= n\"\n";                                   // 25

 private:
  platform::TemporaryFolder folder_ = platform::TemporaryFolder::create("fuselab-own-test").value();
};

}  // namespace fuselab::engine
