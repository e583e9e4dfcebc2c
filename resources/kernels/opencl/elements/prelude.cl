// SPDX-License-Identifier: Apache-2.0
// What generated kernels stand on, for OpenCL C 1.2; needs no extension but cl_khr_fp64 where doubles are computed with.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// A name with the number of lanes behind it, as the language spells types and functions of vectors.
#define FL_WIDE_1(name) name
#define FL_WIDE_2(name) name##2
#define FL_WIDE_4(name) name##4
#define FL_WIDE_8(name) name##8
#define FL_WIDE_16(name) name##16

// Neighbouring elements of any address space, aligned to one element.
#define FL_LOAD_1(p) (*(p))
#define FL_LOAD_2(p) vload2(0, p)
#define FL_LOAD_4(p) vload4(0, p)
#define FL_LOAD_8(p) vload8(0, p)
#define FL_LOAD_16(p) vload16(0, p)
#define FL_STORE_1(p, v) (*(p) = (v))
#define FL_STORE_2(p, v) vstore2(v, 0, p)
#define FL_STORE_4(p, v) vstore4(v, 0, p)
#define FL_STORE_8(p, v) vstore8(v, 0, p)
#define FL_STORE_16(p, v) vstore16(v, 0, p)

#define FL_ROUNDED(name) FL_ROUNDED_NAME(name)
#define FL_ROUNDED_NAME(name) name##_rte

#define fl_thread() ((int)get_local_id(0))
#define fl_block() ((long)get_group_id(0))
#define fl_grid_size() ((long)get_num_groups(0))
// End of the prelude.
