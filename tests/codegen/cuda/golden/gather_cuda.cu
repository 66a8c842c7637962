// gather(outer=1, n=?n, m=?m, inner=768, dtype=float32): across=32,down=4,each=1
// <<<(24, at_min((m + 3) / 4, 32768), 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) gather_cuda(
    const float* __restrict__ x,
    const long long* __restrict__ index,
    float* __restrict__ y,
    long long m_size,
    long long n_size) {
  const int m = (int)m_size;
  const int n = (int)n_size;
  const int bn = blockIdx.x;
  const int bm = blockIdx.y;
  const int tm = threadIdx.x / 32;
  const int tn = threadIdx.x % 32;
  at_begin(x, index);

  if (n >= 1) {
    #pragma unroll 1
    for (int rm = 0; rm < ((m + 3) / 4 + 32767) / 32768; ++rm) {
      if (rm * 131072 + bm * 4 + tm < m) {
        {
          const int i_at =
              (int)at_min(at_max((long long)((index[rm * 131072 + bm * 4 + tm] < 0ll) ? at_add(index[rm * 131072 + bm * 4 + tm], (long long)(n)) : index[rm * 131072 + bm * 4 + tm]), 0ll), (long long)(n - 1));
          y[(rm * 131072 + bm * 4 + tm) * 768 + bn * 32 + tn] = x[(i_at) * 768 + bn * 32 + tn];
        }
      }
    }
  }
}
