// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/emulator/finding.h"
#include "core/base/result.h"

namespace fuselab::simt {

// One kernel's text, of CUDA or HIP, without its preludes.
struct KernelText {
  std::string entry;
  std::string body;
  bool matrix_units = false;  // it stands on the second prelude as well
};

inline constexpr std::string_view kEmulationFolder = "fuselab-simt";  // in the temporary directory, with the compiled texts

// Returns the C++ compiler that the texts are compiled with: the first of g++ and clang++ in $PATH.
std::optional<std::filesystem::path> find_emulator_compiler();

// What stands in place of the device's prelude, and of the second one.
std::string_view host_prelude();
std::string_view host_matrix_prelude();

// The text after the line that ends the prelude, or the second one; the whole text when there is no such line.
std::string without_prelude(const std::string& text);
// Returns a module's text as that of its kernel `entry`.
KernelText text_of(std::string entry, const std::string& module);

// Kernels compiled for this processor with the host's prelude: many in one object, as starting the compiler costs more than a
// kernel. Every access to memory and every block of code in it is instrumented. Stays loaded until the process ends.
class KernelObject {
 public:
  // The same texts are compiled once per process. kCompileFailed carries the compiler's words.
  static Result<std::shared_ptr<const KernelObject>> compile(std::span<const KernelText> kernels);

  std::size_t size() const { return kernels_.size(); }
  const KernelText& text(std::size_t kernel) const { return kernels_[kernel]; }
  void* entry(std::size_t kernel) const { return entries_[kernel]; }
  // What FL_KERNEL promises the device's compiler; 0: nothing.
  int max_threads(std::size_t kernel) const;
  // Lanes of a warp, as FL_WAVEFRONT says; 32 where it says nothing.
  int lanes(std::size_t kernel) const;
  // Bytes of shared memory that it may declare: what it is compiled for has a limit of its own.
  std::int64_t most_static(std::size_t kernel) const;
  // Blocks that run together, as FL_CLUSTER says; 1 where it says nothing.
  int cluster(std::size_t kernel) const;
  std::uintptr_t image_begin() const { return image_begin_; }
  std::uintptr_t image_end() const { return image_end_; }

  // " in line 12 (`y[i] = x;`)" of a kernel.
  std::string describe(std::size_t kernel, CodePlace place) const;

 private:
  int number_of(std::size_t kernel, std::string_view macro) const;
  Status load(const std::string& path);

  std::vector<KernelText> kernels_;
  std::vector<void*> entries_;
  std::string path_;
  std::uintptr_t image_begin_ = 0;
  std::uintptr_t image_end_ = 0;
};

}  // namespace fuselab::simt
