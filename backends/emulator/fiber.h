// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuselab::simt {

// A thread of control with a stack of its own between two guard pages, switched by hand: x86-64 in assembly, elsewhere through
// ucontext. One scheduler resumes many; used from one thread of the operating system.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next resume() calls body(argument) on an empty stack. The body never returns: it suspends for good.
  void start(void (*body)(void*), void* argument);
  // Runs until the fiber suspends. Not from within a fiber.
  void resume();
  // Back to whoever resumed; the next resume() returns from here.
  void suspend();

  bool owns(std::uintptr_t address) const { return address - stack_ < kStackBytes; }
  bool guards(std::uintptr_t address) const;  // a guard page next to the stack
  // Bytes of the stack in use when its frames end at `address`.
  std::size_t depth(std::uintptr_t address) const { return stack_ + kStackBytes - address; }

 private:
  std::uintptr_t stack_ = 0;
  void* here_ = nullptr;    // the fiber's saved stack pointer, or its ucontext
  void* caller_ = nullptr;  // the scheduler's
};

}  // namespace fuselab::simt
