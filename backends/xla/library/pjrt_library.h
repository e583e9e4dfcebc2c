// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/loading/vendor_library.h"
#include "backends/xla/abi/pjrt_abi.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

class PjrtLibrary;

// Memory that XLA owns, with the numbers of one tensor as a vector.
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
  Result<std::vector<std::byte>> serialized() const;
  // Begins the program; outputs may be used as inputs of others at once. `outputs` has a place for each.
  Status execute(std::span<abi::PjrtBuffer* const> inputs, std::span<abi::PjrtBuffer*> outputs) const;

 private:
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
  static Result<std::shared_ptr<PjrtLibrary>> open();
  static Result<std::shared_ptr<PjrtLibrary>> open(const loading::Surroundings& surroundings);

  const std::string& path() const { return path_; }
  const std::string& interface() const { return interface_; }  // "0.115"
  const std::string& stablehlo() const { return stablehlo_; }  // "1.20.0": the newest that it reads; empty where it does not say
  const std::string& build() const { return build_; }          // of the file's bytes: 12 hexadecimal digits

  // Compiles StableHLO text. Fails with kCompileFailed in XLA's words.
  Result<Program> compile(const std::string& text, int threads);
  Result<Program> load_program(std::span<const std::byte> serialized, int threads);
  // Copies `bytes`, packed numbers of this type, into memory of the client.
  Result<DeviceBuffer> to_device(std::span<const std::byte> bytes, DType dtype, std::int64_t elements, int threads);
  // Waits for the buffer and copies it.
  Status to_host(const DeviceBuffer& buffer, std::span<std::byte> bytes) const;
  Status await(abi::PjrtBuffer* buffer) const;  // until it is computed

  const abi::Api& api() const { return *api_; }
  // Takes an error's message and frees it; success where it is null.
  Status check(abi::PjrtError* error, std::string_view what, ErrorCode code) const;

 private:
  struct ClientOfThreads {
    abi::Client* client = nullptr;
    abi::Device* device = nullptr;
  };

  PjrtLibrary() = default;
  Status begin();
  Result<ClientOfThreads> client(int threads);
  Status await(abi::Event* event) const;

  const abi::Api* api_ = nullptr;
  std::string path_, interface_, stablehlo_, build_;
  std::map<int, ClientOfThreads> clients_;
};

// Returns whether the plugin's buffers take this type.
bool is_xla_type(DType dtype);

}  // namespace fuselab::xla
