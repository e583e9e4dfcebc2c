// SPDX-License-Identifier: Apache-2.0
// Kill -9 at random moments of a whole run: what was committed is there once, what was not is done again, and the end is the
// same as that of a run that nobody disturbed.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "db/database.h"
#include "tests/faults/support/folder_test.h"
#include "tests/support/rotation.h"

extern char** environ;

namespace fuselab {
namespace {

class KilledRun : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) setenv(variable, folder_.c_str(), 1);
  }

  // Starts `fuselab tune` in a process group of its own, so that its workers die with it.
  pid_t start(const std::string& database) const {
    std::vector<std::string> words{FUSELAB_PROGRAM, "tune"};
    words.insert(words.end(), subjects_.begin(), subjects_.end());
    words.insert(words.end(), {"--shape", "rows=16,cols=64", "--device", device_, "--trials", std::to_string(trials_per_kernel_),
                               "--budget", "600", "--quiet", "--db", (folder_ / database).string()});
    if (cold_) words.push_back("--cold");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, words.front().c_str(), &actions, &attributes, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return child;
  }

  static bool ends_within(pid_t child, std::chrono::milliseconds time, int& status) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      if (waitpid(child, &status, WNOHANG) == child) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  std::vector<TrialRow> rows_of(const std::string& database) const {
    auto opened = db::Database::open(folder_ / database, db::Access::kRead, std::make_shared<db::Trust>(folder_ / "fuselab"));
    if (!opened.ok()) return {};
    TrialFilter filter;
    filter.include_synthetic = true;
    auto rows = opened.value()->queries().page(filter, TrialOrder::kOldestFirst, 0, 100'000);
    EXPECT_TRUE(rows.ok());
    return rows.ok() ? std::move(rows).value() : std::vector<TrialRow>{};
  }

  // By a trial's id, the block that it was timed in.
  std::map<std::string, std::string> blocks_of(const std::string& database) const {
    SQLite::Database file((folder_ / database).string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(file, "SELECT t.id, b.text FROM trial t JOIN word b ON b.no = t.block");
    std::map<std::string, std::string> blocks;
    while (query.executeStep()) blocks[query.getColumn(0).getString()] = query.getColumn(1).getString();
    return blocks;
  }

  using Trial = std::tuple<std::string, std::string, int, bool, std::string, std::string, double>;
  std::multiset<Trial> trials_of(const std::string& database) const {
    std::multiset<Trial> trials;
    for (const TrialRow& row : rows_of(database)) {
      trials.insert(
          {row.piece_key, row.config, static_cast<int>(row.kind), row.retimed, row.metric_key, row.outcome, row.median_ns});
    }
    return trials;
  }

  // What `ones` has and `others` has not, both sorted: whole lists say little when they differ.
  template <typename List, typename Item = typename List::value_type>
  static std::vector<Item> only_in(const List& ones, const List& others) {
    std::vector<Item> rest;
    std::set_difference(ones.begin(), ones.end(), others.begin(), others.end(), std::back_inserter(rest));
    return rest;
  }

  // What the trials led to: the newest end of each search, and the newest default choice of each piece with the plan behind it.
  std::vector<std::string> conclusions_of(const std::string& database) const {
    SQLite::Database file((folder_ / database).string(), SQLite::OPEN_READONLY);
    std::vector<std::string> lines;
    for (const char* question :
         {"SELECT 'search ' || graph_key || ' on ' || device_id || ' of ' || metric_key || ': ' || best_config || ', ' || stopped,"
          " max(created_unix_ms) FROM tuning GROUP BY graph_key, device_id, metric_key, environment_key, generation_key ORDER BY 1",
          "SELECT 'choice of ' || c.piece_key || ': ' || c.device_id || ', ' || t.kind || ', ' || t.config || ', ' || c.reason,"
          " max(c.created_unix_ms) FROM choice c JOIN trials t ON t.id = c.trial_id GROUP BY c.piece_key, c.environment_key"
          " ORDER BY 1"}) {
      SQLite::Statement query(file, question);
      while (query.executeStep()) lines.push_back(query.getColumn(0).getString());
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::int64_t stored_trials() const {
    try {
      SQLite::Database file((folder_ / "killed.db").string(), SQLite::OPEN_READONLY);
      return file.execAndGet("SELECT count(*) FROM trials").getInt64();
    } catch (const SQLite::Exception&) {
      return 0;  // not made yet
    }
  }

  // Waits until more than `before` trials are stored. False when the child ended first.
  bool goes_on(pid_t child, std::int64_t before, int& status) const {
    while (stored_trials() <= before) {
      if (ends_within(child, std::chrono::milliseconds(3), status)) return false;
    }
    return true;
  }

  // Starts the command again and again and kills it, every third time at a random moment of its start, else at a random one after
  // it has committed more than was there; what was committed stays. How many kills met a run that had committed something.
  int kill_again_and_again(std::uint64_t longest_start_ms, std::uint64_t longest_work_ms) {
    SeededRandom random(20261121);
    std::multiset<Trial> committed;
    int status = 0;
    int met = 0;
    for (int kill_count = 0; kill_count < kills_; ++kill_count) {
      const pid_t child = start("killed.db");
      const bool works = kill_count % 3 != 0;
      const bool ended = works && !goes_on(child, static_cast<std::int64_t>(committed.size()), status);
      const auto moment = std::chrono::milliseconds(random.below(works ? longest_work_ms : longest_start_ms));
      if (!ended && !ends_within(child, moment, status)) {
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        met += works ? 1 : 0;
      }
      const std::multiset<Trial> now = trials_of("killed.db");
      for (const Trial& trial : committed)
        EXPECT_GE(now.count(trial), committed.count(trial)) << "a committed trial is gone after kill " << kill_count;
      committed = now;
    }
    EXPECT_TRUE(ends_within(start("killed.db"), std::chrono::seconds(200), status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    for (const Trial& trial : committed)
      EXPECT_GE(trials_of("killed.db").count(trial), committed.count(trial)) << "a committed trial is gone at the end";
    return met;
  }

  std::vector<std::string> subjects_{"w1", "w3", "w5", "w6"};
  std::string device_ = "null:0";
  int trials_per_kernel_ = 64;
  bool cold_ = false;
  const int kills_ = test::run_everything() ? 20 : 6;
};

TEST_F(KilledRun, EndsWithTheTrialsAndTheBestOfAnUndisturbedRun) {
  int status = 0;
  ASSERT_TRUE(ends_within(start("undisturbed.db"), std::chrono::seconds(100), status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::multiset<Trial> expected = trials_of("undisturbed.db");
  ASSERT_GT(expected.size(), 20U);
  const std::vector<std::string> concluded = conclusions_of("undisturbed.db");
  ASSERT_EQ(std::count_if(concluded.begin(), concluded.end(), [](const auto& line) { return line.starts_with("choice of "); }),
            static_cast<std::ptrdiff_t>(subjects_.size()));
  ASSERT_GT(concluded.size(), 2 * subjects_.size()) << "a search of the fused kernel and of its operators";

  EXPECT_GE(kill_again_and_again(1000, 60), kills_ / 4);
  const std::multiset<Trial> trials = trials_of("killed.db");
  EXPECT_EQ(only_in(expected, trials), std::vector<Trial>{}) << "of the undisturbed run alone";
  EXPECT_EQ(only_in(trials, expected), std::vector<Trial>{}) << "of the killed run alone";
  const std::vector<std::string> after_kills = conclusions_of("killed.db");
  EXPECT_EQ(only_in(concluded, after_kills), std::vector<std::string>{}) << "of the undisturbed run alone";
  EXPECT_EQ(only_in(after_kills, concluded), std::vector<std::string>{}) << "of the killed run alone";
}

// What a trial is about, without how it ended: a plan, timed in one way, in the first process or in a fresh one.
using About = std::tuple<std::string, std::string, PlanKind, bool, std::string>;

TEST_F(KilledRun, RepeatsNoCommittedTrialOnTheCpu) {
  device_ = "cpu:0";
  subjects_ = {"w3", "w6"};
  trials_per_kernel_ = 8;
  cold_ = test::run_everything();  // emptying this processor's caches takes two thirds of the time
  EXPECT_GE(kill_again_and_again(1000, 400), kills_ / 4);
  const std::map<std::string, std::string> block_of_trial = blocks_of("killed.db");
  struct TimedTogether {
    std::set<About> plans;
    bool troubled = false;  // a job measures the whole block once more on purpose
    bool of_search = true;  // and neither of a pair nor a confirmation
    std::string ends;
  };
  std::map<std::string, TimedTogether> blocks;
  for (const TrialRow& row : rows_of("killed.db")) {
    TimedTogether& block = blocks[block_of_trial.at(row.id)];
    block.plans.insert({row.piece_key, row.config, row.kind, row.retimed, row.metric_key});
    const bool doubted = row.outcome == name_of(Outcome::kTimed) && !row.reason.empty();
    const bool dropped =
        row.outcome == name_of(Outcome::kDropped) && row.reason.find("disturbed while timing") != std::string::npos;
    block.troubled = block.troubled || doubted || dropped;
    block.of_search = block.of_search && !row.retimed && row.kind == PlanKind::kFused;
    block.ends += "\n  " + row.config + " of piece " + row.piece_key + ", run " + row.run_id + ", " +
                  (row.retimed ? "fresh, " : "") + row.outcome + ": " + row.reason;
  }
  // A search measures a plan once, whatever beside. Of the others, whose ratio is the result, the whole block counts: a search that
  // ended near its limit goes on where its best are not believed, and confirms them again beside others.
  std::map<std::set<About>, std::vector<const TimedTogether*>> same;
  for (const auto& [id, block] : blocks) {
    if (!block.of_search) same[block.plans].push_back(&block);
    for (const About& plan : block.plans) {
      if (block.of_search) same[{plan}].push_back(&block);
    }
  }
  ASSERT_GT(same.size(), 10U);
  for (const auto& [plans, found] : same) {
    const auto troubled = std::count_if(found.begin(), found.end(), [](const TimedTogether* block) { return block->troubled; });
    std::string ends;
    for (const TimedTogether* block : found) ends += block->ends;
    EXPECT_LE(static_cast<std::ptrdiff_t>(found.size()), 1 + troubled) << ends;
  }
}

}  // namespace
}  // namespace fuselab
