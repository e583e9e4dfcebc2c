# The judge of every kernel: packing, seeded inputs, the float64 evaluator and its tolerances.
fuselab_library(core_reference
  SOURCES input_roles.cpp make_inputs.cpp small_float.cpp tensor.cpp
  DEPENDS fuselab::core_graph)
