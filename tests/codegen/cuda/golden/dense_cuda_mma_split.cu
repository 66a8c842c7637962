// dense(m=?m, n=768, k=768, dtype=float16): block_k=64,group_n=1,split_k=6,stages=3,tile_m=2,tile_n=2,warps_m=2,warps_n=2
// <<<(6, m_q, 12), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) dense_cuda_mma_r0(
    const at_f16* __restrict__ x,
    const at_f16* __restrict__ w,
    at_f16* __restrict__ y,
    unsigned char* workspace,
    long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 64;
  __shared__ __align__(128) at_f16 x_tile[3][64][64];
  __shared__ __align__(128) at_f16 w_tile[3][64][64];
  float* partial = reinterpret_cast<float*>(workspace + 262144);
  unsigned* meeting = reinterpret_cast<unsigned*>(workspace);
  const int bk = blockIdx.x;
  const int bm = blockIdx.y;
  const int bn = blockIdx.z;
  const int wm = threadIdx.x / 64;
  const int wn = threadIdx.x / 32 % 2;
  const int mg = threadIdx.x / 4 % 8;
  const int np = threadIdx.x % 4;
  const int p_x_row = threadIdx.x / 8;
  const int p_x_piece = threadIdx.x % 8;
  const int p_w_row = threadIdx.x / 8;
  const int p_w_piece = threadIdx.x % 8;
  const int lane = threadIdx.x % 32;
  at_begin(x, w);

  float acc[2][2][2][4];
  #pragma unroll
  for (int mi = 0; mi < 2; ++mi) {
    #pragma unroll
    for (int nj = 0; nj < 2; ++nj) {
      #pragma unroll
      for (int nf = 0; nf < 2; ++nf) {
        #pragma unroll
        for (int mh = 0; mh < 2; ++mh) {
          #pragma unroll
          for (int nl = 0; nl < 2; ++nl) {
            acc[mi][nj][nf][mh * 2 + nl] = 0.0f;
          }
        }
      }
    }
  }
  #pragma unroll
  for (int p_first = 0; p_first < 2; ++p_first) {
    #pragma unroll
    for (int p_x_pass = 0; p_x_pass < 4; ++p_x_pass) {
      at_cp_async16(
          &x_tile[p_first][p_x_pass * 16 + p_x_row][(p_x_piece ^ p_x_row % 8) * 8],
          &x[(bm * 64 + p_x_row) * 768 + bk * 64 + p_x_piece * 8] + (p_x_pass * 12288 + p_first * 384),
          true);
    }
    #pragma unroll
    for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
      at_cp_async16(
          &w_tile[p_first][p_w_pass * 16 + p_w_row][(p_w_piece ^ p_w_row % 8) * 8],
          &w[(bn * 64 + p_w_row) * 768 + bk * 64 + p_w_piece * 8] + (p_w_pass * 12288 + p_first * 384),
          true);
    }
    at_cp_commit();
  }
  #pragma unroll 1
  for (int ko = 0; ko < 2; ++ko) {
    at_cp_wait<1>();
    __syncthreads();
    at_cp_commit();
    #pragma unroll
    for (int ki = 0; ki < 4; ++ki) {
      unsigned a[2][4];
      unsigned b[2][2][2];
      #pragma unroll
      for (int mi = 0; mi < 2; ++mi) {
        at_ldmatrix_x4(a[mi], &x_tile[ko][mi * 32 + wm * 16 + lane % 16][((ki * 2 + lane / 16) ^ lane % 8) * 8]);
      }
      #pragma unroll
      for (int nj = 0; nj < 2; ++nj) {
        at_ldmatrix_x4(
            b[nj],
            &w_tile[ko][nj * 32 + wn * 16 + lane / 16 * 8 + lane % 8][((ki * 2 + lane / 8 % 2) ^ lane % 8) * 8]);
      }
      #pragma unroll
      for (int mi = 0; mi < 2; ++mi) {
        #pragma unroll
        for (int nj = 0; nj < 2; ++nj) {
          #pragma unroll
          for (int nf = 0; nf < 2; ++nf) {
            at_mma_m16n8k16_f16(acc[mi][nj][nf], a[mi], b[nj][nf]);
          }
        }
      }
    }
  }
  #pragma unroll
  for (int mi = 0; mi < 2; ++mi) {
    #pragma unroll
    for (int nj = 0; nj < 2; ++nj) {
      #pragma unroll
      for (int nf = 0; nf < 2; ++nf) {
        #pragma unroll
        for (int mh = 0; mh < 2; ++mh) {
          at_store2(
              &partial[(bn * m_q + bm) * 24576 + bk * 4096 + wm * 128 + wn * 64 + mg * 8 + np * 2] + (mi * 2048 + nj * 1024 + nf * 512 + mh * 256),
              float2{acc[mi][nj][nf][mh * 2], acc[mi][nj][nf][mh * 2 + 1]});
        }
      }
    }
  }
  if (at_meet(&meeting[bm + bn * m_q], 6)) {
    #pragma unroll 1
    for (int mi = 0; mi < 2; ++mi) {
      #pragma unroll 1
      for (int nj = 0; nj < 2; ++nj) {
        #pragma unroll 1
        for (int nf = 0; nf < 2; ++nf) {
          #pragma unroll
          for (int mh = 0; mh < 2; ++mh) {
            float total[2];
            #pragma unroll
            for (int nl = 0; nl < 2; ++nl) {
              total[nl] = 0.0f;
            }
            #pragma unroll
            for (int p_round = 0; p_round < 6; ++p_round) {
              float part[2];
              at_load2(
                  part,
                  &partial[(bn * m_q + bm) * 24576 + mi * 2048 + nj * 1024 + nf * 512 + wm * 128 + wn * 64 + mg * 8 + np * 2] + (p_round * 4096 + mh * 256));
              #pragma unroll
              for (int nl = 0; nl < 2; ++nl) {
                total[nl] += part[nl];
              }
            }
            at_store_u32(
                &y[(bm * 64 + mi * 32 + wm * 16 + mg) * 768 + bn * 64 + nj * 32 + wn * 16 + nf * 8 + np * 2] + (mh * 6144),
                at_pack_f16(total[0], total[1]));
          }
        }
      }
    }
  }
}
