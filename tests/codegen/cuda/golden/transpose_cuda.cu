// transpose(d0=?a, d1=?b, dtype=float32): across=32,down=4,each=1,squares=1
// <<<((a + 31) / 32, at_min((b + 31) / 32, 32768), 1), 256>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(256) transpose_cuda(
    const float* __restrict__ x, float* __restrict__ y, long long a_size, long long b_size) {
  const int a = (int)a_size;
  const int b = (int)b_size;
  __shared__ __align__(128) float square[32][33];
  const int bn = blockIdx.x;
  const int bm = blockIdx.y;
  const int tm = threadIdx.x / 32;
  const int tn = threadIdx.x % 32;
  at_begin(x);

  #pragma unroll 1
  for (int rm = 0; rm < ((b + 31) / 32 + 32767) / 32768; ++rm) {
    if (rm * 1048576 + bm * 32 + tn < b) {
      #pragma unroll
      for (int pe = 0; pe < 4; ++pe) {
        if (bn * 32 + pe * 8 + tm < a) {
          square[pe * 8 + tm][tn] = (&x[(bn * 32 + tm) * b + rm * 1048576 + bm * 32 + tn])[b * pe * 8];
        }
      }
    }
    __syncthreads();
    if (bn * 32 + tn < a) {
      #pragma unroll
      for (int pe = 0; pe < 4; ++pe) {
        if (rm * 1048576 + bm * 32 + pe * 8 + tm < b) {
          (&y[(rm * 1048576 + bm * 32 + tm) * a + bn * 32 + tn])[a * pe * 8] = square[tn][pe * 8 + tm];
        }
      }
    }
    __syncthreads();
  }
}
