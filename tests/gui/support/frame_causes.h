// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <map>
#include <string>

namespace fuselab::gui::test {

// Returns how long the calling thread has computed, in milliseconds: what a program can answer for. Time in which other threads and
// processes had the processor is not in it.
double own_milliseconds();

// An application that says what its thread computes between begin() and end(): for each kind of event, with the class and the name
// of its receiver, the time that is not spent in events within it. GUI thread only.
class FrameCauses : public QApplication {
 public:
  using QApplication::QApplication;

  void begin();
  // Ends the frame and returns its own time in milliseconds. A frame of more than `worth` is kept for print().
  double end(double worth);
  // Prints the causes of the frames that were kept, the largest first, and forgets them.
  void print(const char* what);

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  struct Cause {
    int times = 0;
    double milliseconds = 0, longest = 0;
  };
  std::map<std::string, Cause> frame_, kept_;
  bool on_ = false;
  double began_ = 0, inner_ = 0;
  int frames_ = 0;
  double total_ = 0;
};

}  // namespace fuselab::gui::test
