// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "app/gate/baseline/gate_kernels.h"

namespace fuselab::engine {

// A baseline's kernel in the form in which it runs beside today's.
struct RunnableBaseline {
  CompiledKernel kernel;
  bool recompiled = false;
  std::string note;  // why it was compiled again; empty: it is the very binary that was saved
};

inline constexpr const char* kTooDisturbed = "the machine was too disturbed for figures";

// Returns the kernel in the file for this piece of this case on this device, else on another device of the same backend, which
// elsewhere_note() names, since "cuda:0" of two machines need not be the same. Returns null where there is none. A kernel of
// another case never fits, since a case also fixes the configuration.
const BaselineKernel* find_kernel(const Baseline& baseline, const CheckCase& of, const GateItem& item);
// Returns "saved on null:1"; empty when it was saved on the device of that name.
std::string elsewhere_note(const BaselineKernel& saved, const GateItem& item);
// How a case ends that the baseline has no kernel for, and why.
struct MissingKernel {
  CaseState state = CaseState::kNoBaseline;
  std::string reason;
};
// `cases`: the names of today's cases. A case is renamed where the baseline has its graph under a name that is none of these, and
// new where the baseline has neither its name nor such a graph.
MissingKernel missing_kernel(const Baseline& baseline, const CheckCase& of, const GateItem& item,
                             const std::set<std::string>& cases);

// Returns why a file signed by somebody who is not trusted is not used at all, not even to find that today's kernels are the same:
// otherwise whoever may commit a file could pass the gate with it.
std::string untrusted_text(const Baseline& baseline);

// Returns the kernel of a trusted file as it can run here: the saved binary where the device runs its target, else the kept source
// compiled for the device's target with the kept flags. A library's kernel is run only with the library that it was saved with;
// `today` is the kernel that Fuselab would make of the piece now.
// Fails with kUnsupported or kNotFound, saying what prevents it.
Result<RunnableBaseline> runnable(GateKernels& kernels, const BaselineKernel& saved, const GateItem& item,
                                  const KernelIdentity& today);

// Verifies the kernel with every kind of input, times it in fresh processes for its budget, and adds that as its newest timing run.
// Returns false where the machine was too disturbed for figures and none were added; that is no error, since a paired replay needs
// none.
Result<bool> add_timing_run(GateKernels& kernels, const GateItem& item, BaselineKernel& kernel);

}  // namespace fuselab::engine
