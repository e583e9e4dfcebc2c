// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/fiber.h"

#include <sys/mman.h>

#include "core/base/assert.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace fuselab::simt {
namespace {

constexpr std::size_t kGuardBytes = 64 * 1024;  // whole pages on every machine

}  // namespace

Fiber::Fiber() {
  constexpr std::size_t kWhole = kStackBytes + 2 * kGuardBytes;
  void* const memory = mmap(nullptr, kWhole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  FL_ASSERT(memory != MAP_FAILED);
  stack_ = reinterpret_cast<std::uintptr_t>(memory) + kGuardBytes;
  FL_ASSERT(mprotect(reinterpret_cast<void*>(stack_), kStackBytes, PROT_READ | PROT_WRITE) == 0);
#if !defined(__x86_64__)
  here_ = new ucontext_t();
  caller_ = new ucontext_t();
#endif
}

Fiber::~Fiber() {
  munmap(reinterpret_cast<void*>(stack_ - kGuardBytes), kStackBytes + 2 * kGuardBytes);
#if !defined(__x86_64__)
  delete static_cast<ucontext_t*>(here_);
  delete static_cast<ucontext_t*>(caller_);
#endif
}

bool Fiber::guards(std::uintptr_t address) const {
  return !owns(address) && address - (stack_ - kGuardBytes) < kStackBytes + 2 * kGuardBytes;
}

#if defined(__x86_64__)

// Saves what a call must preserve, stores the stack pointer to *rdi and goes on with the stack in rsi. A fresh stack holds
// six zeros, fl_simt_enter and a zero that ends back traces; rbx and r12 of these are the body and its argument.
asm(R"(
.text
.p2align 4
.type fl_simt_switch, @function
fl_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size fl_simt_switch, . - fl_simt_switch
.type fl_simt_enter, @function
fl_simt_enter:
  movq %r12, %rdi
  callq *%rbx
  ud2
.size fl_simt_enter, . - fl_simt_enter
)");
extern "C" void fl_simt_switch(void** save, void* load) asm("fl_simt_switch");
extern "C" void fl_simt_enter() asm("fl_simt_enter");

void Fiber::start(void (*body)(void*), void* argument) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(reinterpret_cast<void*>(stack_), kStackBytes);  // whoever ran on it before never returned
#endif
  auto* top = reinterpret_cast<void**>(stack_ + kStackBytes);
  *--top = nullptr;
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&fl_simt_enter);
  *--top = nullptr;                        // rbp
  *--top = reinterpret_cast<void*>(body);  // rbx
  *--top = argument;                       // r12
  for (int i = 0; i < 3; ++i) *--top = nullptr;
  here_ = top;
}

void Fiber::resume() {
  fl_simt_switch(&caller_, here_);
}
void Fiber::suspend() {
  fl_simt_switch(&here_, caller_);
}

#else

namespace {

void enter(unsigned body_high, unsigned body_low, unsigned argument_high, unsigned argument_low) {
  const auto join = [](unsigned high, unsigned low) { return (static_cast<std::uintptr_t>(high) << 32) | low; };
  reinterpret_cast<void (*)(void*)>(join(body_high, body_low))(reinterpret_cast<void*>(join(argument_high, argument_low)));
}

}  // namespace

void Fiber::start(void (*body)(void*), void* argument) {
  auto* const context = static_cast<ucontext_t*>(here_);
  getcontext(context);
  context->uc_stack.ss_sp = reinterpret_cast<void*>(stack_);
  context->uc_stack.ss_size = kStackBytes;
  context->uc_link = nullptr;
  const auto body_bits = reinterpret_cast<std::uintptr_t>(body);
  const auto argument_bits = reinterpret_cast<std::uintptr_t>(argument);
  makecontext(context, reinterpret_cast<void (*)()>(&enter), 4, static_cast<unsigned>(body_bits >> 32),
              static_cast<unsigned>(body_bits), static_cast<unsigned>(argument_bits >> 32), static_cast<unsigned>(argument_bits));
}

void Fiber::resume() {
  swapcontext(static_cast<ucontext_t*>(caller_), static_cast<ucontext_t*>(here_));
}
void Fiber::suspend() {
  swapcontext(static_cast<ucontext_t*>(here_), static_cast<ucontext_t*>(caller_));
}

#endif

}  // namespace fuselab::simt
