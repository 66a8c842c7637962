// dense(m=?m, n=768, k=768, dtype=bfloat16, tail=y + bias[n]): block_k=64,group_n=1,split_k=1,stages=3,tile_m=2,tile_n=2,warps_m=2,warps_n=2
// <<<(m_q + 1, 12, 1), 128>>>; at_... are short functions of anytile.codegen.cuda.prelude
extern "C" __global__ void __launch_bounds__(128) dense_cuda_mma_r5_16(
    const at_bf16* __restrict__ x,
    const at_bf16* __restrict__ w,
    const at_bf16* __restrict__ bias,
    at_bf16* __restrict__ y,
    long long m_size) {
  const int m = (int)m_size;
  const int m_q = m / 64;
  const int m_r = m % 64;
  __shared__ __align__(128) at_bf16 x_tile[3][64][64];
  __shared__ __align__(128) at_bf16 w_tile[3][64][64];
  const int bm = blockIdx.x;
  const int bn = blockIdx.y;
  const int wm = threadIdx.x / 64;
  const int wn = threadIdx.x / 32 % 2;
  const int mg = threadIdx.x / 4 % 8;
  const int np = threadIdx.x % 4;
  const int p_x_row = threadIdx.x / 8;
  const int p_x_piece = threadIdx.x % 8;
  const int p_w_row = threadIdx.x / 8;
  const int p_w_piece = threadIdx.x % 8;
  const int lane = threadIdx.x % 32;
  at_begin(x, w, bias);

  if (bm < m_q) {  // whole tiles
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
            &x[(bm * 64 + p_x_row) * 768 + p_x_piece * 8] + (p_x_pass * 12288 + p_first * 64),
            true);
      }
      #pragma unroll
      for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
        at_cp_async16(
            &w_tile[p_first][p_w_pass * 16 + p_w_row][(p_w_piece ^ p_w_row % 8) * 8],
            &w[(bn * 64 + p_w_row) * 768 + p_w_piece * 8] + (p_w_pass * 12288 + p_first * 64),
            true);
      }
      at_cp_commit();
    }
    #pragma unroll 1
    for (int ko = 0; ko < 12; ++ko) {
      at_cp_wait<1>();
      __syncthreads();
      if (ko <= 9) {
        #pragma unroll
        for (int p_x_pass = 0; p_x_pass < 4; ++p_x_pass) {
          at_cp_async16(
              &x_tile[(ko + 2) % 3][p_x_pass * 16 + p_x_row][(p_x_piece ^ p_x_row % 8) * 8],
              &x[(bm * 64 + p_x_row) * 768 + ko * 64 + p_x_piece * 8] + (p_x_pass * 12288 + 128),
              true);
        }
        #pragma unroll
        for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
          at_cp_async16(
              &w_tile[(ko + 2) % 3][p_w_pass * 16 + p_w_row][(p_w_piece ^ p_w_row % 8) * 8],
              &w[(bn * 64 + p_w_row) * 768 + ko * 64 + p_w_piece * 8] + (p_w_pass * 12288 + 128),
              true);
        }
      }
      at_cp_commit();
      #pragma unroll
      for (int ki = 0; ki < 4; ++ki) {
        unsigned a[2][4];
        unsigned b[2][2][2];
        #pragma unroll
        for (int mi = 0; mi < 2; ++mi) {
          at_ldmatrix_x4(a[mi], &x_tile[ko % 3][mi * 32 + wm * 16 + lane % 16][((ki * 2 + lane / 16) ^ lane % 8) * 8]);
        }
        #pragma unroll
        for (int nj = 0; nj < 2; ++nj) {
          at_ldmatrix_x4(
              b[nj],
              &w_tile[ko % 3][nj * 32 + wn * 16 + lane / 16 * 8 + lane % 8][((ki * 2 + lane / 8 % 2) ^ lane % 8) * 8]);
        }
        #pragma unroll
        for (int mi = 0; mi < 2; ++mi) {
          #pragma unroll
          for (int nj = 0; nj < 2; ++nj) {
            #pragma unroll
            for (int nf = 0; nf < 2; ++nf) {
              at_mma_m16n8k16_bf16(acc[mi][nj][nf], a[mi], b[nj][nf]);
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
            at_store_u32(
                &y[(bm * 64 + wm * 16 + mg) * 768 + bn * 64 + wn * 16 + np * 2] + (mi * 24576 + mh * 6144 + nj * 32 + nf * 8),
                at_pack_bf16(
                    acc[mi][nj][nf][mh * 2] + at_bf16_to_float((&bias[bn * 64 + wn * 16 + np * 2])[nj * 32 + nf * 8]),
                    acc[mi][nj][nf][mh * 2 + 1] + at_bf16_to_float((&bias[bn * 64 + wn * 16 + np * 2])[nj * 32 + nf * 8 + 1])));
          }
        }
      }
    }
  } else {  // the last tile, as far as it is there
    float acc[2][2][2][4];
    #pragma unroll
    for (int nj = 0; nj < 2; ++nj) {
      #pragma unroll
      for (int nf = 0; nf < 2; ++nf) {
        #pragma unroll
        for (int mh = 0; mh < 2; ++mh) {
          #pragma unroll
          for (int nl = 0; nl < 2; ++nl) {
            acc[0][nj][nf][mh * 2 + nl] = 0.0f;
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
            &x[(m_q * 64 + p_x_row) * 768 + p_x_piece * 8] + (p_x_pass * 12288 + p_first * 64),
            p_x_pass * 16 + p_x_row < m_r);
      }
      #pragma unroll
      for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
        at_cp_async16(
            &w_tile[p_first][p_w_pass * 16 + p_w_row][(p_w_piece ^ p_w_row % 8) * 8],
            &w[(bn * 64 + p_w_row) * 768 + p_w_piece * 8] + (p_w_pass * 12288 + p_first * 64),
            true);
      }
      at_cp_commit();
    }
    #pragma unroll 1
    for (int ko = 0; ko < 12; ++ko) {
      at_cp_wait<1>();
      __syncthreads();
      if (ko <= 9) {
        #pragma unroll
        for (int p_x_pass = 0; p_x_pass < 4; ++p_x_pass) {
          at_cp_async16(
              &x_tile[(ko + 2) % 3][p_x_pass * 16 + p_x_row][(p_x_piece ^ p_x_row % 8) * 8],
              &x[(m_q * 64 + p_x_row) * 768 + ko * 64 + p_x_piece * 8] + (p_x_pass * 12288 + 128),
              p_x_pass * 16 + p_x_row < m_r);
        }
        #pragma unroll
        for (int p_w_pass = 0; p_w_pass < 4; ++p_w_pass) {
          at_cp_async16(
              &w_tile[(ko + 2) % 3][p_w_pass * 16 + p_w_row][(p_w_piece ^ p_w_row % 8) * 8],
              &w[(bn * 64 + p_w_row) * 768 + ko * 64 + p_w_piece * 8] + (p_w_pass * 12288 + 128),
              true);
        }
      }
      at_cp_commit();
      #pragma unroll
      for (int ki = 0; ki < 4; ++ki) {
        unsigned a[2][4];
        unsigned b[2][2][2];
        at_ldmatrix_x4(a[0], &x_tile[ko % 3][wm * 16 + lane % 16][((ki * 2 + lane / 16) ^ lane % 8) * 8]);
        #pragma unroll
        for (int nj = 0; nj < 2; ++nj) {
          at_ldmatrix_x4(
              b[nj],
              &w_tile[ko % 3][nj * 32 + wn * 16 + lane / 16 * 8 + lane % 8][((ki * 2 + lane / 8 % 2) ^ lane % 8) * 8]);
        }
        #pragma unroll
        for (int nj = 0; nj < 2; ++nj) {
          #pragma unroll
          for (int nf = 0; nf < 2; ++nf) {
            at_mma_m16n8k16_bf16(acc[0][nj][nf], a[0], b[nj][nf]);
          }
        }
      }
    }
    #pragma unroll
    for (int nj = 0; nj < 2; ++nj) {
      #pragma unroll
      for (int nf = 0; nf < 2; ++nf) {
        #pragma unroll
        for (int mh = 0; mh < 2; ++mh) {
          if (wm * 16 + mh * 8 + mg < m_r) {
            at_store_u32(
                &y[(m_q * 64 + wm * 16 + mg) * 768 + bn * 64 + wn * 16 + np * 2] + (mh * 6144 + nj * 32 + nf * 8),
                at_pack_bf16(
                    acc[0][nj][nf][mh * 2] + at_bf16_to_float((&bias[bn * 64 + wn * 16 + np * 2])[nj * 32 + nf * 8]),
                    acc[0][nj][nf][mh * 2 + 1] + at_bf16_to_float((&bias[bn * 64 + wn * 16 + np * 2])[nj * 32 + nf * 8 + 1])));
          }
        }
      }
    }
  }
}
