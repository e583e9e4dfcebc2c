// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/xla/library/pjrt_plugin.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

class PjrtLibrary;

// A buffer of XLA's.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const PjrtLibrary* library, abi::PjrtBuffer* buffer) : library_(library), buffer_(buffer) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept : library_(other.library_), buffer_(std::exchange(other.buffer_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  abi::PjrtBuffer* get() const { return buffer_; }

 private:
  const PjrtLibrary* library_ = nullptr;
  abi::PjrtBuffer* buffer_ = nullptr;
};

// A program that was compiled, or loaded from its serialised form, for one client.
class Program {
 public:
  Program(const PjrtLibrary* library, abi::LoadedExecutable* executable) : library_(library), executable_(executable) {}
  Program(Program&& other) noexcept : library_(other.library_), executable_(std::exchange(other.executable_, nullptr)) {}
  Program& operator=(Program&&) = delete;
  ~Program();

  // Returns what load_program() of the same library makes the program of.
  Result<std::string> serialized() const;
  // Returns the number of its results.
  Result<std::size_t> output_count() const;
  // Runs the program and waits for it. It is given its inputs and the memory of its outputs, which XLA takes: `outputs`, which has
  // a place for each, receives the buffers that lie there now.
  Status execute(std::span<abi::PjrtBuffer* const> given, std::span<abi::PjrtBuffer*> outputs) const;

 private:
  // Calls question(executable) with what describes the program, which is freed afterwards.
  Status ask(const std::function<Status(abi::Executable*)>& question) const;

  const PjrtLibrary* library_;
  abi::LoadedExecutable* executable_;
};

// The opened plugin (PJRT C API) and a client for each number of threads that was asked for. Stays loaded for the process, and its
// clients live as long. Used by one thread at a time.
class PjrtLibrary {
 public:
  // Looks for what `fuselab backends install xla` fetched, then for wheels of the same plugin ($FUSELAB_LIB_XLA overrides).
  // Fails with kUnavailable and one line where there is none, where its interface is another than the one declared here, or where
  // it makes no client.
  static Result<std::shared_ptr<PjrtLibrary>> open(const loading::Surroundings& surroundings);

  const std::string& path() const { return plugin_.path; }
  const std::string& interface() const { return plugin_.interface; }  // "0.115"
  const std::string& build() const { return plugin_.build; }          // of the file's bytes: 12 hexadecimal digits

  // Keeps the calling thread on as many processors from now on, as the threads of a client for so many are: XLA's caller computes
  // beside them.
  void hold_to(int threads);
  // Compiles StableHLO text. Fails with kCompileFailed in XLA's words.
  Result<Program> compile(const std::string& text, int threads);
  Result<Program> load_program(std::string_view serialized, int threads);
  // Returns a buffer that is this memory, which must be aligned to 64 bytes and outlive it. Fails with kUnsupported where the
  // plugin would rather copy.
  Result<DeviceBuffer> view(std::byte* memory, const TensorType& type, bool writable, int threads);
  // Fails with kUnsupported where a buffer lies elsewhere.
  Status lies_at(abi::PjrtBuffer* buffer, const std::byte* memory) const;

  const abi::Api& api() const { return *plugin_.api; }
  // Does what PjrtPlugin::check() does.
  Status check(abi::PjrtError* error, std::string_view what, ErrorCode code) const { return plugin_.check(error, what, code); }
  // Waits for an event and frees it; success where it is null.
  Status await(abi::Event* event) const;

 private:
  struct ClientOfThreads {
    abi::Client* client = nullptr;
    abi::Device* device = nullptr;
  };

  explicit PjrtLibrary(PjrtPlugin plugin) : plugin_(std::move(plugin)) {}
  std::vector<int> processors_of(int threads) const;
  Result<ClientOfThreads> client(int threads);
  Status free(abi::Event* event) const;

  PjrtPlugin plugin_;
  std::vector<int> cpus_;  // those of the process
  int held_ = 0;           // the threads on whose processors the caller is kept; 0: it is not
  std::map<int, ClientOfThreads> clients_;
};

// Returns whether XLA is given tensors of this type.
bool is_asked_type(DType dtype);

}  // namespace fuselab::xla
