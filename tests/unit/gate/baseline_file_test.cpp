// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "core/platform/files/temporary_folder.h"
#include "db/connection/compression.h"

namespace fuselab::engine {
namespace {

BaselineKernel kernel_of(const std::string& name) {
  BaselineKernel each;
  each.case_name = name;
  each.subject = "w5 rows=8 f32";
  each.graph_text = "graph(i0: f32[8]) { v0 = Relu(i0); return v0 }";
  each.device_id = "cpu:0";
  each.device_uuid = "abc";
  each.device_name = "a processor";
  each.target = {"x86-64-v3", "x86-64", {{"vector_bytes", 32}}};
  each.kernel.source.text = "void kernel(void) {}";
  each.kernel.identity.graph = ContentHash::of(each.graph_text);
  each.kernel.identity.source = ContentHash::of(each.kernel.source.text);
  each.kernel.identity.target = "x86-64-v3";
  each.kernel.identity.backend = "cpu";
  each.kernel.binary = {"elf-so", {std::byte{0x7f}, std::byte{0}, std::byte{1}}, {{"compiler", "gcc"}}};
  each.config_from = "default";
  each.budget = {5e8};
  each.sessions = {{"2026-11-22T17:00:00Z",
                    {"host", "abc", "", "a processor", "0x1", "Linux 6", "unknown", "1.2.3"},
                    1,
                    {{100.5, 101}, {99.25, 100}}}};
  return each;
}

class BaselineFile : public testing::Test {
 protected:
  BaselineFile() : folder_(platform::TemporaryFolder::create("fuselab-baseline").value()), trust_(folder_.path() / "keys") {
    baseline_.tool_version = "1.2.3";
    baseline_.commit = std::string(40, 'a');
    baseline_.saved_at = "2026-11-22T17:00:00Z";
    baseline_.environment = {{"cpu", "a processor"}};
    baseline_.kernels = {kernel_of("first"), kernel_of("second")};
  }
  std::filesystem::path file() const { return folder_.path() / "fuselab.baseline"; }
  std::string text() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void rewrite(const std::string& text) const { std::ofstream(file(), std::ios::binary | std::ios::trunc) << text; }
  std::string refusal(ErrorCode code) {
    const auto read = read_baseline(file(), trust_);
    if (read.ok()) return "(none)";
    EXPECT_EQ(read.error().code, code) << read.error().message;
    EXPECT_NE(read.error().message.find("fuselab.baseline"), std::string::npos);
    return read.error().message;
  }

  platform::TemporaryFolder folder_;
  db::Trust trust_;
  Baseline baseline_;
};

TEST_F(BaselineFile, HoldsEverythingThatAKernelNeeds) {
  ASSERT_TRUE(write_baseline(file(), baseline_, trust_).ok());
  const auto read = read_baseline(file(), trust_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read.value().trusted);
  EXPECT_EQ(read.value().origin(), "fuselab.baseline of 2026-11-22");
  EXPECT_EQ(read.value().commit, baseline_.commit);
  EXPECT_EQ(read.value().environment, baseline_.environment);
  ASSERT_EQ(read.value().kernels.size(), 2U);
  const BaselineKernel &got = read.value().kernels[1], &put = baseline_.kernels[1];
  EXPECT_EQ(got.case_name, "second");
  EXPECT_EQ(got.graph_text, put.graph_text);
  EXPECT_EQ(got.target, put.target);
  EXPECT_EQ(got.kernel.kernel_id(), put.kernel.kernel_id());
  EXPECT_EQ(got.kernel.binary.data, put.kernel.binary.data);
  EXPECT_EQ(got.kernel.source.text, put.kernel.source.text);
  EXPECT_EQ(got.budget.seconds(), 0.5);
  ASSERT_EQ(got.sessions.size(), 1U);
  EXPECT_EQ(got.sessions[0].at, put.sessions[0].at);
  EXPECT_EQ(got.sessions[0].machine.key(), put.sessions[0].machine.key());
  EXPECT_EQ(got.sessions[0].protocol, 1);
  EXPECT_EQ(got.sessions[0].processes, put.sessions[0].processes);
}

TEST_F(BaselineFile, RefusesEveryChangedByte) {
  ASSERT_TRUE(write_baseline(file(), baseline_, trust_).ok());
  const std::string whole = text();
  int unnoticed = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    rewrite(changed);
    const auto read = read_baseline(file(), trust_);
    // A compressed frame has a bit or two that mean nothing: then all that was signed is as it was.
    if (!read.ok()) continue;
    ++unnoticed;
    ASSERT_EQ(read.value().kernels.size(), 2U);
    EXPECT_EQ(read.value().kernels[1].kernel.binary.data, baseline_.kernels[1].kernel.binary.data) << "byte " << place;
    EXPECT_EQ(read.value().kernels[1].sessions[0].processes, baseline_.kernels[1].sessions[0].processes) << "byte " << place;
  }
  EXPECT_LE(unnoticed, 4);
}

TEST_F(BaselineFile, RefusesEveryTruncation) {
  ASSERT_TRUE(write_baseline(file(), baseline_, trust_).ok());
  const std::string whole = text();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    rewrite(whole.substr(0, size));
    EXPECT_NE(refusal(ErrorCode::kCorrupt), "(none)") << size;
  }
}

TEST_F(BaselineFile, SaysInOneLineWhatIsWrong) {
  ASSERT_TRUE(write_baseline(file(), baseline_, trust_).ok());
  const std::string whole = text();
  const std::size_t signature = whole.find(' ', whole.find(' ') + 1) + 1;
  std::string forged = whole;
  forged[signature] = forged[signature] == '0' ? '1' : '0';
  rewrite(forged);
  EXPECT_NE(refusal(ErrorCode::kCorrupt).find("it is not what was signed: somebody changed it"), std::string::npos);
  rewrite(whole.substr(0, whole.size() - 20));
  EXPECT_NE(refusal(ErrorCode::kCorrupt).find("it was cut short or damaged"), std::string::npos);
  rewrite("my notes\n");
  EXPECT_NE(refusal(ErrorCode::kCorrupt).find("it is no baseline file"), std::string::npos);
  rewrite("fuselab-baseline/9 x y 3\n");
  EXPECT_NE(refusal(ErrorCode::kUnsupported).find("it was written by a newer Fuselab"), std::string::npos);
  std::string bomb = whole.substr(0, whole.find('\n'));
  bomb.replace(bomb.rfind(' '), std::string::npos, " 99999999999\n");
  rewrite(bomb + whole.substr(whole.find('\n') + 1));
  EXPECT_NE(refusal(ErrorCode::kCorrupt).find("more than a baseline may"), std::string::npos);
  std::filesystem::remove(file());
  EXPECT_NE(refusal(ErrorCode::kNotFound).find("is not there"), std::string::npos);
  std::filesystem::create_directory(file());
  EXPECT_NE(refusal(ErrorCode::kCorrupt).find("is no file"), std::string::npos);
}

TEST_F(BaselineFile, TellsAStrangersFromOnesOwn) {
  db::Trust stranger(folder_.path() / "other-keys");
  ASSERT_TRUE(write_baseline(file(), baseline_, stranger).ok());
  const auto read = read_baseline(file(), trust_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read.value().trusted);
  ASSERT_TRUE(trust_.add(stranger.public_key_text().value()).ok());
  EXPECT_TRUE(read_baseline(file(), trust_).value().trusted);
}

TEST_F(BaselineFile, RefusesRecordsThatContradictEachOther) {
  const auto with = [&](void (*change)(BaselineKernel&)) {
    Baseline odd = baseline_;
    change(odd.kernels[0]);
    EXPECT_TRUE(write_baseline(file(), odd, trust_).ok());
    return refusal(ErrorCode::kCorrupt);
  };
  EXPECT_NE(with([](BaselineKernel& each) { each.kernel.source.text += " "; }).find("another source"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.graph_text += " "; }).find("another graph"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.kernel.config.set("threads", std::int64_t{9}); }).find("another configuration"),
            std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.target.id = "x86-64"; }).find("another target"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.sessions[0].processes[0][0] = -1; }).find("no clock gives"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.sessions[0].processes[1].clear(); }).find("no clock gives"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.sessions[0].processes.clear(); }).find("a session of no process"),
            std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.budget = {-1}; }).find("a budget that no case may give"), std::string::npos);
  EXPECT_NE(with([](BaselineKernel& each) { each.sessions.resize(kMostTimingRuns + 1); }).find("31 sessions"), std::string::npos);
}

// The files of before kernels had several sessions: the samples of one, and no word of the machine.
TEST_F(BaselineFile, AnOlderFuselabsFileIsReadAndLacksItsMachine) {
  ASSERT_TRUE(write_baseline(file(), baseline_, trust_).ok());
  const std::string whole = text();
  const std::size_t end = whole.find('\n');
  const auto size = std::stoll(whole.substr(whole.rfind(' ', end), end));
  const auto now = db::decompress(std::as_bytes(std::span(whole)).subspan(end + 1), size);
  ASSERT_TRUE(now.ok()) << now.error().message;
  nlohmann::json json = nlohmann::json::from_cbor(reinterpret_cast<const std::uint8_t*>(now.value().data()),
                                                  reinterpret_cast<const std::uint8_t*>(now.value().data()) + now.value().size());
  json["schema"] = "fuselab.baseline/1";
  for (nlohmann::json& kernel : json["kernels"]) {
    kernel["samples"] = kernel["sessions"][0]["processes"];
    kernel.erase("sessions");
    kernel.erase("budget_ns");
  }
  const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(json);
  const auto payload = std::as_bytes(std::span(cbor));
  const auto signature = trust_.sign(IdentityHasher("baseline file").add("payload", ContentHash::of(payload)).finish()).value();
  std::string hex;
  for (const std::uint8_t byte : signature.bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  const auto frame = db::compress(payload);
  rewrite("fuselab-baseline/1 " + signature.signer + " " + hex + " " + std::to_string(payload.size()) + "\n" +
          std::string(reinterpret_cast<const char*>(frame.data()), frame.size()));
  const auto read = read_baseline(file(), trust_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read.value().trusted);
  const BaselineKernel& kernel = read.value().kernels[0];
  ASSERT_EQ(kernel.sessions.size(), 1U);
  EXPECT_EQ(kernel.sessions[0].processes, baseline_.kernels[0].sessions[0].processes);
  EXPECT_EQ(kernel.sessions[0].at, baseline_.saved_at);
  EXPECT_FALSE(is_known(kernel.sessions[0].machine));
  EXPECT_EQ(kernel.budget, ComparisonRule().budget);
}

TEST_F(BaselineFile, EndsWithItsDay) {
  EXPECT_FALSE(baseline_.expired("2999-01-01T00:00:00Z"));
  baseline_.expires_at = "2026-12-01T00:00:00Z";
  EXPECT_FALSE(baseline_.expired("2026-11-30T23:59:59Z"));
  EXPECT_TRUE(baseline_.expired("2026-12-01T00:00:00Z"));
}

}  // namespace
}  // namespace fuselab::engine
