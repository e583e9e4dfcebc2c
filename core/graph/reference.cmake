# The judge of every kernel: packing, seeded inputs, the float64 evaluator and its tolerances.
fuselab_library(core_reference
  SOURCES affine_product.cpp freivalds.cpp input_roles.cpp make_inputs.cpp reference.cpp reference_attention.cpp reference_borders.cpp reference_demand.cpp
          reference_elementwise.cpp reference_indexed.cpp reference_matmul.cpp reference_movement.cpp reference_predicates.cpp reference_ranks.cpp reference_rows.cpp reference_sample.cpp
          reference_steps.cpp reference_tensor.cpp reference_trigonometry.cpp reference_windows.cpp small_float.cpp tensor.cpp tolerance.cpp
  DEPENDS fuselab::core_graph)
