// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/package_energy.h"

#include <cstdlib>
#include <string>

namespace fuselab::profile {
namespace {

const std::string kFolder = "/sys/class/powercap/intel-rapl:0/";

}  // namespace

std::optional<double> PackageEnergy::microjoules(const char* file) {
  const auto text = source_.file(kFolder + file);
  if (!text || text->empty()) return std::nullopt;
  return std::strtod(text->c_str(), nullptr);
}

void PackageEnergy::start() {
  before_ = microjoules("energy_uj");
}

Metric PackageEnergy::stop(int launches) {
  Metric energy{"energy_package", std::nullopt, "", "powercap: intel-rapl:0/energy_uj", 1, false};
  const auto after = microjoules("energy_uj");
  if (!before_ || !after) {
    const bool listed = source_.file(kFolder + "name").has_value();
    energy.reason =
        listed ? kFolder + "energy_uj may be read by root alone" : "this machine has no " + kFolder.substr(0, kFolder.size() - 1);
    return energy;
  }
  double spent = *after - *before_;
  if (spent < 0) spent += microjoules("max_energy_range_uj").value_or(0);
  if (spent < 0) {
    energy.reason = "the counter began again, and its limit is not known";
  } else {
    energy.value = spent * 1e-6 / launches;
  }
  return energy;
}

}  // namespace fuselab::profile
