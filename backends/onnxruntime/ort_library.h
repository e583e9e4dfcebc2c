// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/onnxruntime/abi/onnxruntime_abi.h"

namespace fuselab::onnxruntime {

// A session, ended with the object; it must be destroyed before its library.
using SessionHandle = std::unique_ptr<abi::Session, void (*)(abi::Session*)>;

struct SessionChoices {
  int threads = 1;
  bool optimizes_all = true;  // else: only what is right for every processor
};

// ONNX Runtime with its own kernels for processors, opened. Each session has a pool of threads of its own, kept on the processors
// that this process may use. Stays loaded for the process. Used by one thread.
class OrtLibrary final : public library::HostLibrary, public std::enable_shared_from_this<OrtLibrary> {
 public:
  // Looks for libonnxruntime.so.1, also as pip's package names it ($FUSELAB_LIB_ONNXRUNTIME overrides).
  // Fails with kUnavailable and one line where there is none, or one older than 1.17.
  static Result<std::shared_ptr<OrtLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& plan) override;
  Status use_threads(int threads) override;
  std::optional<int> caller_cpu() const override { return cpus_.front(); }
  void settle(int threads) override;

  const abi::Functions& calls() const { return calls_; }
  const abi::MemoryInfo* memory() const { return memory_; }
  // Returns success, or an error with the action and the library's words in one line.
  Status check(abi::Status* status, const std::string& what) const;
  Result<SessionHandle> session(const std::string& model, const SessionChoices& choices) const;
  // A plan with several threads ran: they spin for a while.
  void note_spinning() { are_spinning_ = true; }

 private:
  OrtLibrary() = default;

  abi::Functions calls_{};
  abi::Env* env_ = nullptr;
  abi::MemoryInfo* memory_ = nullptr;
  std::vector<int> cpus_;
  library::LibraryFacts facts_;
  bool are_spinning_ = false;
};

}  // namespace fuselab::onnxruntime
