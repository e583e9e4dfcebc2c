// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/gui/link/job_control.h"

class QWidget;

namespace fuselab::gui {

// The questions that the window asks about jobs. Each shows a box and returns at once; GUI thread.

// Asks whether to start the main job, which takes minutes, and starts it if so. Says how long it takes once that is estimated.
void ask_for_main_job(EngineLink& engine, JobControl& control, QWidget* window);

// Asks whether the running job may be ended so that the window closes; calls `stop_and_close` if so. The question goes away when
// the job ends before it is answered. Shown again while it is open, it is raised. The box blocks nothing: the job can be paused
// and cancelled beside it.
void ask_to_stop(JobBridge& job, QWidget* window, const std::function<void()>& stop_and_close);

}  // namespace fuselab::gui
