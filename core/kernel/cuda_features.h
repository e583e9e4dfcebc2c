// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// What a target of CUDA has beside threads that each compute for themselves. Kernels ask here, never for an id.
struct CudaFeatures {
  int capability = 0;           // 90 of sm_90 and sm_90a; 0: no target of CUDA
  bool async_copies = false;    // cp.async: from global into shared memory, past the registers
  bool warp_products = false;   // mma.sync of bf16, f16, tf32 and i8 with f32 or i32 sums, ldmatrix
  bool copy_engine = false;     // mbarrier, bulk copies, tensor maps, stmatrix, and clusters of blocks
  bool group_products = false;  // wgmma, setmaxnreg: code of sm_90a, which runs nowhere else
};

// Returns nothing but false for other targets.
CudaFeatures cuda_features(const Target& target);

}  // namespace fuselab
