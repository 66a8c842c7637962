function main(tensor) -> tensor, registers 4:
  LoadConsti r1, 0
  LoadConsti r2, 0
  Invoke r3, @loop, [r1, r0, r2]
  Ret r3

function loop(tensor, tensor, tensor) -> tensor, registers 12:
  LoadConsti r3, 1
  LoadConsti r4, 0
  LoadConsti r5, 8
  AllocStorage r6, r3, 1, d0
  AllocTensor r7, r6, r4, [], bool
  InvokePacked k0, 1, [r0, r1, r7]
  If r7, r3, L7, L15
L7:
  AllocStorage r8, r5, 8, d0
  AllocTensor r9, r8, r4, [], int64
  InvokePacked k1, 1, [r2, r0, r9]
  AllocStorage r10, r5, 8, d0
  AllocTensor r11, r10, r4, [], int64
  InvokePacked k1, 1, [r0, r3, r11]
  Invoke r6, @loop, [r11, r1, r9]
  Ret r6
L15:
  Ret r2
