// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/gate/baseline/gate_bench.h"

namespace fuselab::engine {

// A baseline's kernel as it is run beside today's.
struct RunnableBaseline {
  CompiledKernel kernel;
  bool recompiled = false;
  std::string note;  // why it was compiled anew; empty: it is the very binary that was saved
};

inline constexpr const char* kTooDisturbed = "the machine was too disturbed for figures";

// The kernel in the file for this piece of this case on this device, else on another one of its backend, which elsewhere_note()
// names: "cuda:0" of two machines need not be one. Null where it has none; another case's is none, since a case is its
// configuration as well.
const BaselineKernel* find_kernel(const Baseline& baseline, const CheckCase& of, const GateItem& item);
// "saved on null:1"; empty: on the device of that name.
std::string elsewhere_note(const BaselineKernel& saved, const GateItem& item);
// Why it has none.
std::string missing_text(const Baseline& baseline, const CheckCase& of, const GateItem& item);

// Why nothing of a file that a stranger signed is used, not even as what today's kernels are the same as: whoever may commit a file
// could pass the gate with it.
std::string untrusted_text(const Baseline& baseline);

// Of a trusted file: the saved binary where the device runs its target. A source whose target the device does not run is compiled
// anew for the device's, with the flags that were kept. kUnsupported, kNotFound: what stands in the way.
// A library's kernel is run only with the library that it was saved with: `today` is what Fuselab would make of the piece now.
Result<RunnableBaseline> runnable(GateBench& bench, const BaselineKernel& saved, const GateItem& item, const KernelIdentity& today);

// Verifies the kernel with every kind of input and times it in fresh processes for its budget, as its newest session. False: the
// machine was too disturbed for figures, and none were added. That is no error: a paired replay needs none.
Result<bool> add_session(GateBench& bench, const GateItem& item, BaselineKernel& kernel);

}  // namespace fuselab::engine
