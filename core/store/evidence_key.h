// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab {

// Names the stored figures that can be compared with each other: those of one piece on one device, by one metric, in one
// environment.
struct EvidenceKey {
  std::string piece;   // graph_key() of the piece or of a single operator, hex
  std::string device;  // DeviceInfo::id
  std::string metric;  // MetricIdentity::key(), hex
  std::string environment;
};

}  // namespace fuselab
