// elementwise(d0=?a, d1=768, f=gelu(x[d0, d1] + c[d1]), dtype=float32): across=32,down=4,each=1
// <<<(6, at_min((a + 3) / 4, 32768), 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) elementwise_cuda(
    const float* __restrict__ x, const float* __restrict__ c, float* __restrict__ y, long long a_size) {
  const int a = (int)a_size;
  const int bn = blockIdx.x;
  const int bm = blockIdx.y;
  const int tm = threadIdx.x / 32;
  const int tn = threadIdx.x % 32;
  at_begin(x, c);

  #pragma unroll 1
  for (int rm = 0; rm < ((a + 3) / 4 + 32767) / 32768; ++rm) {
    if (rm * 131072 + bm * 4 + tm < a) {
      float piece1[4];
      float piece0[4];
      at_load4(piece0, &x[(rm * 131072 + bm * 4 + tm) * 768 + bn * 128 + tn * 4]);
      at_load4(piece1, &c[bn * 128 + tn * 4]);
      at_store4(
          &y[(rm * 131072 + bm * 4 + tm) * 768 + bn * 128 + tn * 4],
          float4{
              at_gelu(piece0[0] + piece1[0]),
              at_gelu(piece0[1] + piece1[1]),
              at_gelu(piece0[2] + piece1[2]),
              at_gelu(piece0[3] + piece1[3])});
    }
  }
}
