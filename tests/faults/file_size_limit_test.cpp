// SPDX-License-Identifier: Apache-2.0
// A limit on the size of files is a disk that is full: the program says so instead of being killed without a word.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/faults/support/folder_test.h"

namespace fuselab {
namespace {

class FileSizeLimit : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) setenv(variable, folder_.c_str(), 1);
  }
};

TEST_F(FileSizeLimit, EndsAJobWithTheReason) {
  const std::string said = (folder_ / "said.txt").string();
  // In units of 512 bytes: more than the page shared with a worker, less than the database's log.
  const std::string command = "ulimit -f 600; exec " FUSELAB_PROGRAM
                              " bench w3 w4 --shape rows=16,cols=64 --device null:0 --quiet --db '" +
                              (folder_ / "results.db").string() + "' >'" + said + "' 2>&1";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_LT(WEXITSTATUS(status), 128) << "killed by a signal";
  EXPECT_NE(WEXITSTATUS(status), 0);
  std::ifstream stream(said);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(text.find("nothing of this write was kept"), std::string::npos) << text;
}

}  // namespace
}  // namespace fuselab
