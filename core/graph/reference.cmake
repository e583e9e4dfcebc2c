# The judge of every kernel: packing, seeded inputs, the float64 evaluator and its tolerances.
fuselab_library(core_reference SOURCES make_inputs.cpp DEPENDS fuselab::core_graph)
