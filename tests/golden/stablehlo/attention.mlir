module @fuselab {
  func.func public @main(%arg0: tensor<160xf32>, %arg1: tensor<144xf32>, %arg2: tensor<108xf32>, %arg3: tensor<45xi1>) -> (tensor<120xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<160xf32>) -> tensor<1x4x5x8xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<144xf32>) -> tensor<1x2x9x8xf32>
    %2 = stablehlo.reshape %arg2 : (tensor<108xf32>) -> tensor<1x2x9x6xf32>
    %3 = stablehlo.reshape %arg3 : (tensor<45xi1>) -> tensor<5x9xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 3, 4] : (tensor<1x2x9x8xf32>) -> tensor<1x2x2x9x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x2x2x9x8xf32>) -> tensor<1x4x9x8xf32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 3, 4] : (tensor<1x2x9x6xf32>) -> tensor<1x2x2x9x6xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x2x2x9x6xf32>) -> tensor<1x4x9x6xf32>
    %8 = stablehlo.dot_general %0, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x8xf32>, tensor<1x4x9x8xf32>) -> tensor<1x4x5x9xf32>
    %9 = stablehlo.constant dense<0x3EB504F3> : tensor<1x4x5x9xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<1x4x5x9xf32>
    %11 = stablehlo.constant dense<0xFF800000> : tensor<1x4x5x9xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [2, 3] : (tensor<5x9xi1>) -> tensor<1x4x5x9xi1>
    %13 = stablehlo.select %12, %10, %11 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %14 = stablehlo.iota dim = 2 : tensor<1x4x5x9xi32>
    %15 = stablehlo.iota dim = 3 : tensor<1x4x5x9xi32>
    %16 = stablehlo.compare LE, %15, %14, SIGNED : (tensor<1x4x5x9xi32>, tensor<1x4x5x9xi32>) -> tensor<1x4x5x9xi1>
    %17 = stablehlo.select %16, %13, %11 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%17 init: %18) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<1x4x5xf32>) -> tensor<1x4x5x9xf32>
    %21 = stablehlo.subtract %17, %20 : tensor<1x4x5x9xf32>
    %22 = stablehlo.exponential %21 : tensor<1x4x5x9xf32>
    %23 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %24 = stablehlo.reduce(%22 init: %23) applies stablehlo.add across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x4x5xf32>) -> tensor<1x4x5x9xf32>
    %26 = stablehlo.divide %22, %25 : tensor<1x4x5x9xf32>
    %27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.reduce(%17 init: %27) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x5x9xf32>, tensor<f32>) -> tensor<1x4x5xf32>
    %29 = stablehlo.constant dense<0xFF800000> : tensor<1x4x5xf32>
    %30 = stablehlo.compare EQ, %28, %29, FLOAT : (tensor<1x4x5xf32>, tensor<1x4x5xf32>) -> tensor<1x4x5xi1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x4x5xi1>) -> tensor<1x4x5x9xi1>
    %32 = stablehlo.constant dense<0x00000000> : tensor<1x4x5x9xf32>
    %33 = stablehlo.select %31, %32, %26 : tensor<1x4x5x9xi1>, tensor<1x4x5x9xf32>
    %34 = stablehlo.dot_general %33, %7, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x9xf32>, tensor<1x4x9x6xf32>) -> tensor<1x4x5x6xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x4x5x6xf32>) -> tensor<120xf32>
    return %35 : tensor<120xf32>
  }
}
