// SPDX-License-Identifier: Apache-2.0
// Profiles where a program is missing, a kernel takes its process along, another process writes the database or the disk is full:
// the reason is shown and nothing else is lost.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/engine/profile/profile_subject.h"
#include "app/engine/profile/stored_answers.h"
#include "app/engine/workers/worker_pool.h"
#include "core/graph/graph_text.h"
#include "core/platform/processes/program_run.h"
#include "db/database.h"
#include "profiler/host/event_ladder.h"
#include "profiler/host/perf_event_source.h"
#include "tests/faults/support/engine_fixture.h"
#include "tests/support/environment_variables.h"

namespace fuselab {
namespace {

using engine::ProfileSpec;
using engine::ProfileView;
using testing::HasSubstr;

constexpr const char* kChain = "graph(i0: f32[256,256], p0: param f32[256]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";

class Profiles : public EngineTest {
 protected:
  static ProfileSpec spec() {
    ProfileSpec spec;
    spec.subject = kChain;
    spec.devices.only = {"cpu:0"};
    spec.seconds = 0.02;
    return spec;
  }
  ProfileView profiled(const ProfileSpec& asked) {
    auto view = engine::profile_subject(*engine_, asked, {});
    EXPECT_TRUE(view.ok()) << view.error().message;
    return view.ok() ? std::move(view).value() : ProfileView();
  }
  void bench(CacheMode mode = CacheMode::kWarm) {
    engine::JobSpec job;
    job.verb = engine::JobSpec::Verb::kBench;
    job.subjects = {kChain};
    job.devices.only = {"cpu:0"};
    job.decide_gains = false;
    job.protocol.mode = mode;
    // Beside other load a figure may beat the ceiling that was measured meanwhile: it is stored, mistrusted and not shown.
    constexpr int kAttempts = 5;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      job.remeasure = attempt > 0;
      auto started = engine_->start(job);
      ASSERT_TRUE(started.ok()) << started.error().message;
      ASSERT_TRUE(started.value()->wait_for(std::chrono::minutes(2)));
      ASSERT_TRUE(started.value()->result().ok());
      ProfileSpec shown = spec();
      shown.stored = true;
      shown.protocol.mode = mode;
      if (!profiled(shown).profile.trial_id.empty()) return;
    }
  }
  // A $PATH with these programs of the machine alone, and with what GCC itself needs.
  std::string path_with(std::vector<std::string> programs) const {
    programs.insert(programs.end(), {"as", "ld"});
    std::filesystem::create_directories(folder_ / "bin");
    for (const std::string& name : programs) {
      const auto program = platform::find_program({name});
      if (program) std::filesystem::create_symlink(*program, folder_ / "bin" / name);
    }
    return (folder_ / "bin").string();
  }
  static const CollectorNote* note_of(const ProfileView& view, const std::string& collector) {
    for (const CollectorNote& note : view.profile.collectors) {
      if (note.collector == collector) return &note;
    }
    return nullptr;
  }
};

TEST_F(Profiles, WithoutAnyTrialTheDefaultConfigurationIsBuiltAndNothingIsStored) {
  const ProfileView view = profiled(spec());
  EXPECT_EQ(view.profile.trial_id, "");
  EXPECT_THAT(view.profile.note, HasSubstr("its default configuration, neither tuned nor measured"));
  EXPECT_FALSE(view.profile.config.empty());
  EXPECT_THAT(view.profile.sweep.why_not, HasSubstr("nothing is stored"));
  EXPECT_FALSE(view.profile.verdict.text.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db")) << "looking leaves no file behind";
}

TEST_F(Profiles, WithoutAnyProgramTheRestIsThere) {
  test::Variables variables;
  variables.set("PATH", path_with({}));
  ProfileSpec asked = spec();
  asked.exact = true;
  const ProfileView view = profiled(asked);
  EXPECT_THAT(view.profile.code.why_not, HasSubstr("no disassembler in $PATH"));
  EXPECT_TRUE(view.profile.code.loops.empty());
  ASSERT_EQ(view.profile.exact.size(), 1U);
  EXPECT_THAT(view.profile.exact[0].reason, HasSubstr("no valgrind in $PATH"));
  EXPECT_GT(view.profile.counters.plain_ns, 0);
  EXPECT_FALSE(view.profile.standing.levels.empty());
}

TEST_F(Profiles, WithoutAModelOfTheProcessorTheCodeIsThere) {
  if (!platform::find_program({"objdump"})) GTEST_SKIP() << "no objdump in $PATH";
  test::Variables variables;
  variables.set("PATH", path_with({"objdump"}));
  const ProfileView view = profiled(spec());
  EXPECT_EQ(view.profile.code.why_not, "");
  EXPECT_FALSE(view.profile.code.loops.empty());
  EXPECT_EQ(view.profile.code.why_no_lines, "");
  EXPECT_TRUE(std::any_of(view.profile.code.code.begin(), view.profile.code.code.end(), [](const CodeLine& line) {
    return line.line > 0;
  })) << "a stripped binary and the same one with lines are seen to be the same";
  EXPECT_THAT(view.profile.code.why_no_prediction, HasSubstr("no llvm-mca in $PATH"));
}

TEST_F(Profiles, ADisassemblerThatPrintsNonsenseIsAReason) {
  test::Variables variables;
  variables.set("PATH", path_with({}));
  std::filesystem::create_symlink("/bin/true", folder_ / "bin/objdump");
  EXPECT_THAT(profiled(spec()).profile.code.why_not, HasSubstr("printed no instruction"));
}

TEST_F(Profiles, APlanThatKillsItsProcessIsAnErrorOfThatCollectorAlone) {
  engine::WorkerPoolOptions options;
  options.worker_program = FUSELAB_WORKER;
  engine::WorkerPool workers(options);
  const auto report = workers.probe("cpu");
  ASSERT_TRUE(report.ok());
  if (!report.value().availability.usable) GTEST_SKIP() << report.value().availability.reason;
  const DeviceInfo device = report.value().devices.front();
  const Graph graph = parse_graph(kChain).value();
  const auto described = workers.describe({"cpu", device.target, canonical_text(graph), OptimizationLevel::kO2}, {});
  ASSERT_TRUE(described.ok());
  auto kernel =
      workers.compile({"cpu", device.target, canonical_text(graph), described.value().default_config, OptimizationLevel::kO2}, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  kernel.value().source.text =
      "void " + kernel.value().abi.entry + "(void* const* b, void* s, long x, long y) { __builtin_trap(); }\n";
  kernel.value().binary = {};
  const std::string flags = kernel.value().identity.flags;
  auto trap = workers.recompile({"cpu", device.target, std::move(kernel).value(), flags}, {});
  ASSERT_TRUE(trap.ok()) << trap.error().message;
  const wire::ProfileRequest request{"cpu", device.id, whole_graph_plan("trap", graph, std::move(trap).value()), {}, 0.01};
  const auto died = workers.profile(device, request, {1e10}, {});
  ASSERT_FALSE(died.ok());
  EXPECT_EQ(died.error().code, ErrorCode::kCrashed);
  EXPECT_THAT(died.error().message, HasSubstr("SIGILL"));
  EXPECT_TRUE(workers.timer(device, {}).ok()) << "the next worker is another";
}

TEST_F(Profiles, AreStoredOnceTakenFromThereAndChangeNoFigure) {
  bench();
  ProfileSpec asked = spec();
  ProfileView first = profiled(asked);
  EXPECT_EQ(first.not_stored, "");
  ASSERT_NE(note_of(first, "counters"), nullptr);
  EXPECT_FALSE(note_of(first, "counters")->reused);
  // What too short a time leaves without a sample is collected again.
  for (; note_of(first, "counters")->reason.find("--seconds") != std::string::npos && asked.seconds < 5; first = profiled(asked))
    asked.seconds *= 10;
  engine_.reset();  // another session
  auto opened = engine::Engine::open(config_in(folder_));
  ASSERT_TRUE(opened.ok());
  engine_ = std::move(opened).value();
  const ProfileView second = profiled(asked);
  const bool lacks_nothing = note_of(first, "counters")->reason.empty();
  EXPECT_EQ(note_of(second, "counters")->reused, lacks_nothing) << note_of(first, "counters")->reason;
  EXPECT_TRUE(note_of(second, "ceilings")->reused);
  if (lacks_nothing) {
    EXPECT_EQ(second.profile.counters.launches, first.profile.counters.launches);
  }
  EXPECT_EQ(second.profile.median_ns, first.profile.median_ns) << "the trial's own figure";
  EXPECT_EQ(second.profile.trial_id, first.profile.trial_id);
  ProfileSpec again = spec();
  again.again = true;
  EXPECT_FALSE(note_of(profiled(again), "counters")->reused);
  ProfileSpec named;
  named.trial = first.profile.trial_id.substr(0, 8);
  named.seconds = 0.02;
  EXPECT_EQ(profiled(named).profile.trial_id, first.profile.trial_id) << "found by the beginning of its id";
}

// Texts that are generated no more: a signature is all that there is to tell one's own from a stranger's.
TEST_F(Profiles, TextOfAnotherGeneratorRunsWhereSomebodyTrustedSignedIt) {
  bench();
  ProfileSpec asked = spec();
  asked.stored = true;
  const std::string measured = profiled(asked).profile.trial_id;
  const auto store_older = [&](const std::string& text, std::shared_ptr<db::Trust> signer, const char* other_graph = "") {
    TrialRecord trial = engine_->queries().trial(measured).value().value();
    CompiledKernel kernel = engine_->queries().kernel(trial.kernel_keys.front()).value().value();
    kernel.source.text += text;
    kernel.identity.source = ContentHash::of(kernel.source.text);
    if (*other_graph != 0) kernel.identity.graph = ContentHash::of(other_graph);
    kernel.binary = {};
    trial.id = text;
    trial.kernel_keys = {kernel.kernel_id()};
    trial.plan_key = plan_key_of(trial.kernel_keys);
    auto database = db::Database::open(folder_ / "results.db", db::Access::kWrite, std::move(signer));
    ASSERT_TRUE(database.ok()) << database.error().message;
    StoreBatch batch;
    batch.kernels = {kernel};
    batch.trials = {trial};
    const Status stored = database.value()->store().commit(batch);
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  };
  const auto own = std::make_shared<db::Trust>(folder_ / "keys"), stranger = std::make_shared<db::Trust>(folder_ / "stranger");
  ASSERT_NO_FATAL_FAILURE(store_older("/* older */", own));
  ASSERT_NO_FATAL_FAILURE(store_older("/* theirs */", stranger));
  asked = {};
  asked.seconds = 0.02;
  asked.trial = "/* older */";
  EXPECT_GT(profiled(asked).profile.counters.plain_ns, 0);
  asked.trial = "/* theirs */";
  const auto refused = engine::profile_subject(*engine_, asked, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUntrusted);
  EXPECT_THAT(refused.error().message, HasSubstr("whom you do not trust (`fuselab trust add"));
  EXPECT_THAT(refused.error().message, HasSubstr("generates another kernel"));
  const std::string key = stranger->public_key_text().value();
  ASSERT_TRUE(db::Trust(folder_ / "keys").add(key).ok());
  EXPECT_GT(profiled(asked).profile.counters.plain_ns, 0);
  // Its buffers would be of other sizes.
  ASSERT_NO_FATAL_FAILURE(store_older("/* elsewhere */", own, "another graph"));
  asked.trial = "/* elsewhere */";
  const auto elsewhere = engine::profile_subject(*engine_, asked, {});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("of another graph or backend"));
}

TEST_F(Profiles, WhatIsStoredIsJudgedAgainWithoutCollectingAnything) {
  bench();
  ProfileSpec asked = spec();
  asked.stored = true;
  const std::string trial = profiled(asked).profile.trial_id;
  ASSERT_FALSE(trial.empty());
  const auto none = engine::stored_profile(*engine_, trial);
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_FALSE(none.value().has_value()) << "it was never profiled";
  const ProfileView made = profiled(spec());
  const auto stored = engine::stored_profile(*engine_, trial);
  ASSERT_TRUE(stored.ok() && stored.value().has_value());
  EXPECT_EQ(stored.value()->profile.verdict.text, made.profile.verdict.text);
}

TEST_F(Profiles, AnAnswerThatLacksSomethingIsStoredForTheVerdictAndAskedForAgain) {
  if (!platform::find_program({"objdump"})) GTEST_SKIP() << "no objdump in $PATH";
  bench();
  test::Variables variables;
  variables.set("PATH", path_with({"objdump"}));
  const ProfileView made = profiled(spec());
  EXPECT_THAT(made.profile.code.why_no_prediction, HasSubstr("no llvm-mca in $PATH"));
  const auto stored = engine::stored_profile(*engine_, made.profile.trial_id);
  ASSERT_TRUE(stored.ok() && stored.value().has_value());
  EXPECT_EQ(stored.value()->profile.code.loops.size(), made.profile.code.loops.size());
  EXPECT_EQ(stored.value()->profile.verdict.text, made.profile.verdict.text);
  EXPECT_FALSE(note_of(profiled(spec()), "code")->reused) << "there may be a model now";
}

TEST_F(Profiles, ATrialWithColdCachesIsJudgedByMemory) {
  bench(CacheMode::kCold);
  ProfileSpec asked = spec();
  asked.protocol.mode = CacheMode::kCold;
  const ProfileView view = profiled(asked);
  if (view.profile.trial_id.empty()) GTEST_SKIP() << "no cold figure here: " << view.profile.note;
  EXPECT_EQ(view.profile.standing.caches, "cold");
  ASSERT_FALSE(view.profile.standing.levels.empty());
  EXPECT_EQ(view.profile.standing.levels.back().level, "memory") << "256 KiB would lie in a cache";
  EXPECT_TRUE(view.profile.standing.levels.back().holds_working_set);
  EXPECT_THAT(view.profile.verdict.text, HasSubstr("measured with cold caches"));
  for (const SweepPoint& point : view.profile.sweep.points) EXPECT_EQ(point.level, "memory") << point.what;
}

TEST_F(Profiles, WhileAnotherProcessWritesTheyAreShownAndNotStored) {
  bench();
  auto writer = db::Database::open(folder_ / "results.db", db::Access::kWrite, std::make_shared<db::Trust>(folder_ / "keys"));
  ASSERT_TRUE(writer.ok());
  const ProfileView view = profiled(spec());
  EXPECT_FALSE(view.not_stored.empty());
  EXPECT_FALSE(view.profile.verdict.text.empty());
}

// In a process of its own, because the limit on file sizes cannot be raised again: its exit code says which step failed.
int store_beyond_the_limit(const std::filesystem::path& folder) {
  auto opened = engine::Engine::open(config_in(folder));
  if (!opened.ok()) return 1;
  ProfileRecord about;
  about.trial_id = "t";
  about.plan_key = "plan";
  engine::StoredAnswers answers(*opened.value(), about, false);
  CodeReport report;
  report.disassembler.assign(8 << 20, 'x');
  CollectorNote note;
  note.collector = "code";
  answers.add(report, note);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 2 << 20;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  const Status stored = answers.store();
  if (stored.ok()) return 3;
  return stored.error().code == ErrorCode::kIo ? 0 : 4;
}

TEST_F(Profiles, AFullDiskIsSaidAndTheDatabaseStaysSound) {
  bench();
  engine_.reset();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(store_beyond_the_limit(folder_));
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "failed step of store_beyond_the_limit";
  auto database = db::Database::open(folder_ / "results.db", db::Access::kRead, std::make_shared<db::Trust>(folder_ / "keys"));
  ASSERT_TRUE(database.ok());
  const auto report = database.value()->verify();
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report.value().sound());
}

// In a process of its own, because the limit cannot be raised again.
int count_without_descriptors() {
  rlimit none{};
  if (::setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
  profile::PerfEventSource source;
  const profile::Ladder ladder = profile::climb(source);
  if (!ladder.opened.empty()) return 2;
  for (const std::string& rung : ladder.passed_over) {
    if (rung.find("more file descriptors than it may open") == std::string::npos && !rung.starts_with("top-down")) return 3;
  }
  return source.start_sampling(500'000).ok() ? 4 : 0;
}

TEST_F(Profiles, TooFewDescriptorsForAllThreadsAreOneReason) {
  profile::PerfEventSource source;
  const profile::Ladder usual = profile::climb(source);
  if (usual.opened.empty()) GTEST_SKIP() << "nothing may be counted here: " << usual.passed_over.back();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(count_without_descriptors());
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "failed step of count_without_descriptors";
}

}  // namespace
}  // namespace fuselab
