// dense(m=?m, n=768, k=768, dtype=float32): tile_m=8,tile_n=1,unroll_k=2,warps_k=2,warps_n=4
extern "C" __global__ void __launch_bounds__(256) dense_cuda_narrow_r3(
    const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 8;
  __shared__ __align__(128) float sums[2][4][8][1];
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int wk = threadIdx.x / 128;
  const int wn = threadIdx.x / 32 % 4;
  const int ln = threadIdx.x % 32;
  const int p_mi = threadIdx.x / 4 % 8;
  const int p_wn = threadIdx.x % 4;
  const int lane = threadIdx.x % 32;

  if (bm < m_q) {
    float acc[8];
    #pragma unroll
    for (int mi = 0; mi < 8; ++mi) {
      acc[mi] = 0.0f;
    }
    #pragma unroll 1
    for (int ko = 0; ko < 2; ++ko) {
      #pragma unroll
      for (int ki = 0; ki < 2; ++ki) {
        float b[4];
        if (ko * 512 + ki * 256 + wk * 128 + ln * 4 <= 767) {
          at_load_streaming4(b, &w[(bn * 4 + wn) * 768 + ko * 512 + ki * 256 + wk * 128 + ln * 4]);
        } else {
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            b[kv] = 0.0f;
          }
        }
        #pragma unroll
        for (int mi = 0; mi < 8; ++mi) {
          float a[4];
          if (ko * 512 + ki * 256 + wk * 128 + ln * 4 <= 767) {
            at_load4(a, &x[(bm * 8 + mi) * 768 + ko * 512 + ki * 256 + wk * 128 + ln * 4]);
          } else {
            #pragma unroll
            for (int kv = 0; kv < 4; ++kv) {
              a[kv] = 0.0f;
            }
          }
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            acc[mi] += a[kv] * b[kv];
          }
        }
      }
    }
    #pragma unroll
    for (int mi = 0; mi < 8; ++mi) {
      { const float sum = at_warp_sum(acc[mi]);
        if (lane == 0) sums[wk][wn][mi][0] = sum; }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      float total;
      total = sums[0][p_wn][p_mi][0];
      #pragma unroll
      for (int p_part = 0; p_part < 2; ++p_part) {
        if (p_part >= 1) {
          total += sums[p_part][p_wn][p_mi][0];
        }
      }
      y[(bm * 8 + p_mi) * 768 + bn * 4 + p_wn] = total;
    }
  } else {
    float acc[8];
    #pragma unroll
    for (int mi = 0; mi < 3; ++mi) {
      acc[mi] = 0.0f;
    }
    #pragma unroll 1
    for (int ko = 0; ko < 2; ++ko) {
      #pragma unroll
      for (int ki = 0; ki < 2; ++ki) {
        float b[4];
        if (ko * 512 + ki * 256 + wk * 128 + ln * 4 <= 767) {
          at_load_streaming4(b, &w[(bn * 4 + wn) * 768 + ko * 512 + ki * 256 + wk * 128 + ln * 4]);
        } else {
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            b[kv] = 0.0f;
          }
        }
        #pragma unroll
        for (int mi = 0; mi < 3; ++mi) {
          float a[4];
          if (ko * 512 + ki * 256 + wk * 128 + ln * 4 <= 767) {
            at_load4(a, &x[(m_q * 8 + mi) * 768 + ko * 512 + ki * 256 + wk * 128 + ln * 4]);
          } else {
            #pragma unroll
            for (int kv = 0; kv < 4; ++kv) {
              a[kv] = 0.0f;
            }
          }
          #pragma unroll
          for (int kv = 0; kv < 4; ++kv) {
            acc[mi] += a[kv] * b[kv];
          }
        }
      }
    }
    #pragma unroll
    for (int mi = 0; mi < 3; ++mi) {
      { const float sum = at_warp_sum(acc[mi]);
        if (lane == 0) sums[wk][wn][mi][0] = sum; }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      float total;
      total = sums[0][p_wn][p_mi][0];
      #pragma unroll
      for (int p_part = 0; p_part < 2; ++p_part) {
        if (p_part >= 1) {
          total += sums[p_part][p_wn][p_mi][0];
        }
      }
      if (p_mi <= 2) {
        y[(m_q * 8 + p_mi) * 768 + bn * 4 + p_wn] = total;
      }
    }
  }
}
