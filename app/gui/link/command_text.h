// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"

namespace fuselab::gui {

// Writes the `fuselab …` command that does what the window does, for a shell. What is as usual is left out.
class CommandText {
 public:
  // `config` is the window's: the command names its database where that is not the usual one.
  CommandText(const engine::Config& config, const std::string& verb);

  CommandText& word(const std::string& word);
  CommandText& words(const std::vector<std::string>& words);
  CommandText& option(const std::string& name, const std::string& value, const std::string& usual = {});
  CommandText& options(const std::string& name, const std::vector<std::string>& values);  // the name before each
  CommandText& number(const std::string& name, double value, double usual);
  CommandText& flag(const std::string& name, bool set);
  CommandText& devices(const DeviceChoice& choice);
  CommandText& accepted(const Drawbacks& drawbacks);
  std::string text() const { return text_ + where_; }

 private:
  std::string text_, where_;
};

// Returns the command that starts the same job. Configurations of `prior` came from a file that the job does not name: they are
// left out.
std::string command_of(const engine::Config& config, const engine::JobSpec& spec);

// Returns the command that shows the same stored tables by `verb`: compare, decide.
std::string command_of(const engine::Config& config, const std::string& verb, const engine::CompareSpec& spec);

}  // namespace fuselab::gui
