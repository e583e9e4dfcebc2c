module @fuselab {
  func.func public @main(%arg0: tensor<35xf32>) -> (tensor<35xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<35xf32>) -> tensor<5x7xf32>
    %1 = stablehlo.constant dense<0x3F000000> : tensor<5x7xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<5x7xf32>
    %3 = stablehlo.constant dense<0x3F3504F3> : tensor<5x7xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<5x7xf32>
    %5 = chlo.erf %4 : tensor<5x7xf32> -> tensor<5x7xf32>
    %6 = stablehlo.constant dense<0x3F800000> : tensor<5x7xf32>
    %7 = stablehlo.add %5, %6 : tensor<5x7xf32>
    %8 = stablehlo.multiply %2, %7 : tensor<5x7xf32>
    %9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %12 = stablehlo.subtract %8, %11 : tensor<5x7xf32>
    %13 = stablehlo.exponential %12 : tensor<5x7xf32>
    %14 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %17 = stablehlo.divide %13, %16 : tensor<5x7xf32>
    %18 = stablehlo.reshape %17 : (tensor<5x7xf32>) -> tensor<35xf32>
    return %18 : tensor<35xf32>
  }
}
