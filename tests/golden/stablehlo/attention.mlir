module @fuselab {
  func.func public @main(%arg0: tensor<1x4x5x8xf32>, %arg1: tensor<1x2x9x8xf32>, %arg2: tensor<1x2x9x6xf32>, %arg3: tensor<5x9xi1>, %out0: tensor<1x4x5x6xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<1x4x5x6xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 3, 4] : (tensor<1x2x9x8xf32>) -> tensor<1x2x2x9x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x2x9x8xf32>) -> tensor<1x4x9x8xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 3, 4] : (tensor<1x2x9x6xf32>) -> tensor<1x2x2x9x6xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2x2x9x6xf32>) -> tensor<1x4x9x6xf32>
    %4 = stablehlo.dot_general %arg0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x8xf32>, tensor<1x4x9x8xf32>) -> tensor<1x4x5x9xf32>
    %5 = stablehlo.constant dense<0x3EB504F3> : tensor<1x4x5x9xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x4x5x9xf32>
    %7 = stablehlo.constant dense<0xFF800000> : tensor<1x4x5x9xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [2, 3] : (tensor<5x9xi1>) -> tensor<1x4x5x9xi1>
    %9 = stablehlo.select %8, %6, %7 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %10 = stablehlo.iota dim = 2 : tensor<1x4x5x9xi32>
    %11 = stablehlo.iota dim = 3 : tensor<1x4x5x9xi32>
    %12 = stablehlo.compare LE, %11, %10, SIGNED : (tensor<1x4x5x9xi32>, tensor<1x4x5x9xi32>) -> tensor<1x4x5x9xi1>
    %13 = stablehlo.select %12, %9, %7 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x4x5xf32>) -> tensor<1x4x5x9xf32>
    %17 = stablehlo.subtract %13, %16 : tensor<1x4x5x9xf32>
    %18 = stablehlo.exponential %17 : tensor<1x4x5x9xf32>
    %19 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.add across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x4x5xf32>) -> tensor<1x4x5x9xf32>
    %22 = stablehlo.divide %18, %21 : tensor<1x4x5x9xf32>
    %23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = stablehlo.reduce(%13 init: %23) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %25 = stablehlo.constant dense<0xFF800000> : tensor<1x4x5xf32>
    %26 = stablehlo.compare EQ, %24, %25, FLOAT : (tensor<1x4x5xf32>, tensor<1x4x5xf32>) -> tensor<1x4x5xi1>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x4x5xi1>) -> tensor<1x4x5x9xi1>
    %28 = stablehlo.constant dense<0x00000000> : tensor<1x4x5x9xf32>
    %29 = stablehlo.select %27, %28, %22 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %30 = stablehlo.dot_general %29, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x9xf32>, tensor<1x4x9x6xf32>) -> tensor<1x4x5x6xf32>
    return %30 : tensor<1x4x5x6xf32>
  }
}
