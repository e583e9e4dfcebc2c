// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/piece.h"
#include "app/session/snapshots.h"

namespace fuselab::session {

// The whole graph of a subject with its groups and, on every edge that fusion left apart, why. Constants are left out.
GraphView view_graph(const Workpiece& workpiece);

}  // namespace fuselab::session
