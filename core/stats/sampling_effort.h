// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Returns how many samples to take in each process. With a cost of a process, in samples, a variance of one sample within its
// process and one of processes, the variance per cost (between + within/k)(cost + k) is least at k = sqrt(cost within / between)
// (Cochran, Sampling Techniques, 3rd edition, § 10.6). Not rounded; infinite where processes do not differ.
double best_samples_per_process(double process_cost, double within_variance, double between_variance);

}  // namespace fuselab
