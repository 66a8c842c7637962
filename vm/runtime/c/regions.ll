; LLVM IR of regions.c, written by scripts/runtime: do not edit. 9a70d9501bc05f44
%struct.timespec = type { i64, i64 }
%struct.event = type { i64, i64, i64, [13 x i64] }
%struct.pair = type { i64, i64 }
%struct.repeated = type { [8 x i64], [9 x i64], i64 }

define internal void @put(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = add i64 %2, 63
  %5 = ashr i64 %4, 6
  %6 = tail call noundef i64 @llvm.smax.i64(i64 %5, i64 1)
  %7 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %6, i1 true)
  %8 = sub nsw i64 59, %7
  %9 = tail call noundef i64 @llvm.smax.i64(i64 %8, i64 0)
  %10 = add nsw i64 %6, -1
  %11 = lshr i64 %10, %9
  %12 = add nuw nsw i64 %11, 1
  %13 = shl i64 %12, %9
  %14 = shl i64 %13, 6
  %15 = inttoptr i64 %1 to ptr
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %17 = getelementptr ptr, ptr %16, i64 %12
  %18 = shl nuw nsw i64 %9, 7
  %19 = getelementptr i8, ptr %17, i64 %18
  %20 = load ptr, ptr %19, align 8
  store ptr %20, ptr %15, align 8
  store ptr %15, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = sub i64 %22, %14
  store i64 %23, ptr %21, align 8
  ret void
}

define internal i64 @take(ptr noundef captures(none) %0, i64 noundef %1) #0 {
  %3 = icmp ugt i64 %1, 281474976710656
  br i1 %3, label %76, label %4

4:
  %5 = add nuw nsw i64 %1, 63
  %6 = lshr i64 %5, 6
  %7 = tail call i64 @llvm.umax.i64(i64 %6, i64 1)
  %8 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %7, i1 true)
  %9 = sub nsw i64 59, %8
  %10 = tail call noundef i64 @llvm.smax.i64(i64 %9, i64 0)
  %11 = add nsw i64 %7, -1
  %12 = lshr i64 %11, %10
  %13 = add nuw nsw i64 %12, 1
  %14 = shl i64 %13, %10
  %15 = shl i64 %14, 6
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %17 = getelementptr ptr, ptr %16, i64 %13
  %18 = shl nuw nsw i64 %10, 7
  %19 = getelementptr i8, ptr %17, i64 %18
  %20 = load ptr, ptr %19, align 8
  %21 = icmp eq ptr %20, null
  br i1 %21, label %25, label %22

22:
  %23 = load ptr, ptr %20, align 8
  store ptr %23, ptr %19, align 8
  store ptr null, ptr %20, align 8
  %24 = ptrtoint ptr %20 to i64
  br label %65

25:
  %26 = load i64, ptr %0, align 8
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %28 = load i64, ptr %27, align 8
  %29 = sub i64 %26, %28
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, %15
  %33 = icmp sgt i64 %32, %29
  br i1 %33, label %34, label %35

34:
  tail call fastcc void @trim(ptr noundef nonnull %0)
  br label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = add i64 %37, %15
  %39 = icmp sgt i64 %38, %29
  br i1 %39, label %76, label %40

40:
  %41 = add i64 %15, 64
  %42 = tail call ptr @calloc(i64 noundef 1, i64 noundef %41)
  %43 = icmp eq ptr %42, null
  br i1 %43, label %76, label %44

44:
  %45 = ptrtoint ptr %42 to i64
  %46 = and i64 %45, -64
  %47 = add i64 %46, 64
  %48 = inttoptr i64 %47 to ptr
  %49 = icmp sgt i64 %15, 4194303
  br i1 %49, label %50, label %56

50:
  %51 = add i64 %46, 4159
  %52 = and i64 %51, -4096
  %53 = inttoptr i64 %52 to ptr
  %54 = add nsw i64 %15, -4096
  %55 = tail call i32 @madvise(ptr noundef %53, i64 noundef %54, i32 noundef 14)
  br label %56

56:
  %57 = getelementptr inbounds i8, ptr %48, i64 -8
  store ptr %42, ptr %57, align 8
  %58 = icmp eq i64 %47, 0
  br i1 %58, label %76, label %59

59:
  %60 = load i64, ptr %30, align 8
  %61 = add i64 %60, %15
  store i64 %61, ptr %30, align 8
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %63 = load i64, ptr %62, align 8
  %64 = add i64 %63, 1
  store i64 %64, ptr %62, align 8
  br label %65

65:
  %66 = phi i64 [ %24, %22 ], [ %47, %59 ]
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %68 = load i64, ptr %67, align 8
  %69 = add i64 %68, %15
  store i64 %69, ptr %67, align 8
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %71 = load i64, ptr %70, align 8
  %72 = tail call noundef i64 @llvm.smax.i64(i64 %71, i64 %69)
  store i64 %72, ptr %70, align 8
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %74 = load i64, ptr %73, align 8
  %75 = add i64 %74, 1
  store i64 %75, ptr %73, align 8
  br label %76

76:
  %77 = phi i64 [ 0, %2 ], [ %66, %65 ], [ 0, %56 ], [ 0, %35 ], [ 0, %40 ]
  ret i64 %77
}

define internal noundef ptr @new_cell(ptr noundef captures(none) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load ptr, ptr %2, align 8
  %4 = load ptr, ptr %3, align 8
  store ptr %4, ptr %2, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %6 = load i64, ptr %5, align 8
  %7 = add i64 %6, -1
  store i64 %7, ptr %5, align 8
  store i64 1, ptr %3, align 8
  ret ptr %3
}

define internal void @retain(ptr noundef captures(none) %0) #0 {
  %2 = load i64, ptr %0, align 8
  %3 = icmp eq i64 %2, 0
  br i1 %3, label %6, label %4

4:
  %5 = add i64 %2, 1
  store i64 %5, ptr %0, align 8
  br label %6

6:
  ret void
}

define internal void @set(ptr noundef captures(none) %0, ptr noundef captures(none) %1, i64 noundef %2, ptr noundef %3) #0 {
  %5 = getelementptr inbounds ptr, ptr %1, i64 %2
  %6 = load ptr, ptr %5, align 8
  store ptr %3, ptr %5, align 8
  %7 = icmp eq ptr %6, null
  br i1 %7, label %15, label %8

8:
  %9 = load i64, ptr %6, align 8
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %15, label %11

11:
  %12 = add i64 %9, -1
  store i64 %12, ptr %6, align 8
  %13 = icmp eq i64 %12, 0
  br i1 %13, label %14, label %15

14:
  store ptr null, ptr %6, align 8
  tail call fastcc void @destroy(ptr noundef %0, ptr noundef %6)
  br label %15

15:
  ret void
}

define internal noundef ptr @new_numbers(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %5 = load ptr, ptr %4, align 8
  %6 = load ptr, ptr %5, align 8
  store ptr %6, ptr %4, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %8 = load i64, ptr %7, align 8
  %9 = add i64 %8, -1
  store i64 %9, ptr %7, align 8
  store i64 1, ptr %5, align 8
  %10 = getelementptr inbounds nuw i8, ptr %5, i64 8
  store ptr null, ptr %10, align 8
  %11 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %12 = getelementptr inbounds nuw i8, ptr %5, i64 128
  %13 = ptrtoint ptr %12 to i64
  store i64 %13, ptr %11, align 8
  %14 = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i64 %1, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 2, ptr %15, align 8
  %16 = getelementptr inbounds nuw i8, ptr %5, i64 40
  store i64 %2, ptr %16, align 8
  %17 = getelementptr inbounds nuw i8, ptr %5, i64 48
  store i64 1, ptr %17, align 8
  %18 = getelementptr inbounds nuw i8, ptr %5, i64 56
  store i64 %1, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %5, i64 64
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %19, i8 0, i64 56, i1 false)
  br label %21

20:
  ret ptr %5

21:
  %22 = phi i64 [ 1, %3 ], [ %24, %21 ]
  %23 = getelementptr inbounds nuw i64, ptr %18, i64 %22
  store i64 1, ptr %23, align 8
  %24 = add nuw nsw i64 %22, 1
  %25 = icmp eq i64 %24, 8
  br i1 %25, label %20, label %21
}

define internal i64 @now(ptr noundef readnone captures(address_is_null) %0) #0 {
  %2 = alloca %struct.timespec, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2)
  %3 = icmp eq ptr %0, null
  br i1 %3, label %11, label %4

4:
  %5 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2)
  %6 = load i64, ptr %2, align 8
  %7 = mul i64 %6, 1000000000
  %8 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %7, %9
  br label %11

11:
  %12 = phi i64 [ %10, %4 ], [ 0, %1 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %2)
  ret i64 %12
}

declare i32 @clock_gettime(i32 noundef, ptr noundef) nonlazybind

define internal void @note(ptr noundef captures(address_is_null) %0, i64 noundef %1, i64 noundef %2, ptr noundef readonly captures(none) %3, i64 noundef %4) #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = icmp eq ptr %0, null
  br i1 %7, label %35, label %8

8:
  call void @llvm.lifetime.start.p0(ptr nonnull %6)
  %9 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6)
  %10 = load i64, ptr %6, align 8
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %12 = load i64, ptr %11, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %6)
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = add i64 %14, 1
  store i64 %15, ptr %13, align 8
  %16 = load i64, ptr %0, align 8
  %17 = icmp slt i64 %14, %16
  br i1 %17, label %18, label %35

18:
  %19 = mul i64 %10, 1000000000
  %20 = add i64 %19, %12
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %22 = getelementptr inbounds %struct.event, ptr %21, i64 %14
  store i64 %1, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %22, i64 8
  store i64 %2, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %22, i64 16
  store i64 %20, ptr %24, align 8
  %25 = icmp sgt i64 %4, 0
  br i1 %25, label %26, label %35

26:
  %27 = getelementptr inbounds nuw i8, ptr %22, i64 24
  br label %28

28:
  %29 = phi i64 [ 0, %26 ], [ %33, %28 ]
  %30 = getelementptr inbounds nuw i64, ptr %3, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds nuw i64, ptr %27, i64 %29
  store i64 %31, ptr %32, align 8
  %33 = add nuw nsw i64 %29, 1
  %34 = icmp eq i64 %33, %4
  br i1 %34, label %35, label %28

35:
  ret void
}

define internal void @give_back(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) #0 {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %5, label %8

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %9

8:
  ret void

9:
  %10 = phi i64 [ 0, %5 ], [ %36, %35 ]
  %11 = getelementptr inbounds nuw %struct.pair, ptr %1, i64 %10
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 0
  br i1 %13, label %35, label %14

14:
  %15 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = add i64 %16, 63
  %18 = ashr i64 %17, 6
  %19 = tail call noundef i64 @llvm.smax.i64(i64 %18, i64 1)
  %20 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %19, i1 true)
  %21 = sub nsw i64 59, %20
  %22 = tail call noundef i64 @llvm.smax.i64(i64 %21, i64 0)
  %23 = add nsw i64 %19, -1
  %24 = lshr i64 %23, %22
  %25 = add nuw nsw i64 %24, 1
  %26 = shl i64 %25, %22
  %27 = shl i64 %26, 6
  %28 = inttoptr i64 %12 to ptr
  %29 = getelementptr ptr, ptr %6, i64 %25
  %30 = shl nuw nsw i64 %22, 7
  %31 = getelementptr i8, ptr %29, i64 %30
  %32 = load ptr, ptr %31, align 8
  store ptr %32, ptr %28, align 8
  store ptr %28, ptr %31, align 8
  %33 = load i64, ptr %7, align 8
  %34 = sub i64 %33, %27
  store i64 %34, ptr %7, align 8
  br label %35

35:
  %36 = add nuw nsw i64 %10, 1
  %37 = icmp eq i64 %36, %2
  br i1 %37, label %8, label %9
}

define internal i64 @take_workspace(ptr noundef captures(none) %0, i64 noundef %1) #0 {
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %6, label %4

4:
  %5 = tail call i64 @take(ptr noundef %0, i64 noundef %1)
  br label %6

6:
  %7 = phi i64 [ %5, %4 ], [ 1, %2 ]
  ret i64 %7
}

define internal void @put_workspace(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %26, label %5

5:
  %6 = add i64 %2, 63
  %7 = ashr i64 %6, 6
  %8 = tail call noundef i64 @llvm.smax.i64(i64 %7, i64 1)
  %9 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %8, i1 true)
  %10 = sub nsw i64 59, %9
  %11 = tail call noundef i64 @llvm.smax.i64(i64 %10, i64 0)
  %12 = add nsw i64 %8, -1
  %13 = lshr i64 %12, %11
  %14 = add nuw nsw i64 %13, 1
  %15 = shl i64 %14, %11
  %16 = shl i64 %15, 6
  %17 = inttoptr i64 %1 to ptr
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %19 = getelementptr ptr, ptr %18, i64 %14
  %20 = shl nuw nsw i64 %11, 7
  %21 = getelementptr i8, ptr %19, i64 %20
  %22 = load ptr, ptr %21, align 8
  store ptr %22, ptr %17, align 8
  store ptr %17, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %24 = load i64, ptr %23, align 8
  %25 = sub i64 %24, %16
  store i64 %25, ptr %23, align 8
  br label %26

26:
  ret void
}

define internal noundef ptr @new_storage(ptr noundef captures(none) %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #0 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %6 = load ptr, ptr %5, align 8
  %7 = load ptr, ptr %6, align 8
  store ptr %7, ptr %5, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %9, -1
  store i64 %10, ptr %8, align 8
  store i64 %3, ptr %6, align 8
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i64 %1, ptr %11, align 8
  %12 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 %2, ptr %12, align 8
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store i64 -1, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 48
  store i64 0, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 120
  store i64 0, ptr %15, align 8
  ret ptr %6
}

define internal noundef ptr @keeper(ptr noundef captures(ret: address, provenance) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  %5 = select i1 %4, ptr %0, ptr %3
  %6 = load i64, ptr %5, align 8
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %10, label %8

8:
  %9 = add i64 %6, 1
  store i64 %9, ptr %5, align 8
  br label %10

10:
  ret ptr %5
}

define internal i64 @word(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = icmp slt i64 %2, %1
  br i1 %4, label %5, label %8

5:
  %6 = getelementptr inbounds i64, ptr %0, i64 %2
  %7 = load i64, ptr %6, align 8
  br label %8

8:
  %9 = phi i64 [ %7, %5 ], [ 1, %3 ]
  ret i64 %9
}

define internal void @arange(ptr noundef writeonly captures(none) %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) #0 {
  %5 = icmp sgt i64 %1, 0
  br i1 %5, label %7, label %6

6:
  ret void

7:
  %8 = phi i64 [ %12, %7 ], [ 0, %4 ]
  %9 = mul i64 %8, %3
  %10 = add i64 %9, %2
  %11 = getelementptr inbounds nuw i64, ptr %0, i64 %8
  store i64 %10, ptr %11, align 8
  %12 = add nuw nsw i64 %8, 1
  %13 = icmp eq i64 %12, %1
  br i1 %13, label %6, label %7
}

define internal noundef zeroext i1 @repeat(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca %struct.repeated, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(144) %4, i8 0, i64 136, i1 false)
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 136
  store i64 -1, ptr %5, align 8
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %7 = load i64, ptr %6, align 8
  %8 = load i64, ptr %2, align 8
  %9 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = sub i64 %8, %10
  %12 = icmp slt i64 %11, 0
  br i1 %12, label %75, label %13

13:
  %14 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %15 = load i64, ptr %14, align 8
  %16 = mul i64 %15, %7
  %17 = getelementptr inbounds i8, ptr %1, i64 %16
  %18 = icmp ult ptr %0, %17
  br i1 %18, label %19, label %25

19:
  %20 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %21 = load i64, ptr %20, align 8
  %22 = mul i64 %21, %7
  %23 = getelementptr inbounds i8, ptr %0, i64 %22
  %24 = icmp ult ptr %1, %23
  br i1 %24, label %75, label %25

25:
  %26 = getelementptr inbounds nuw i8, ptr %4, i64 64
  %27 = getelementptr inbounds i64, ptr %26, i64 %8
  store i64 %7, ptr %27, align 8
  %28 = add i64 %8, -1
  %29 = icmp slt i64 %28, 0
  br i1 %29, label %70, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %2, i64 104
  %32 = getelementptr inbounds nuw i8, ptr %2, i64 40
  br label %33

33:
  %34 = phi i64 [ %28, %30 ], [ %68, %59 ]
  %35 = phi i64 [ %8, %30 ], [ %34, %59 ]
  %36 = phi i64 [ %7, %30 ], [ %67, %59 ]
  %37 = icmp slt i64 %34, %11
  br i1 %37, label %38, label %42

38:
  %39 = getelementptr inbounds nuw i64, ptr %32, i64 %34
  %40 = load i64, ptr %39, align 8
  %41 = icmp ne i64 %40, 1
  br label %51

42:
  %43 = sub nsw i64 %34, %11
  %44 = getelementptr inbounds nuw i64, ptr %31, i64 %43
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr inbounds nuw i64, ptr %32, i64 %34
  %47 = load i64, ptr %46, align 8
  %48 = icmp ne i64 %45, %47
  %49 = icmp ne i64 %45, 1
  %50 = and i1 %49, %48
  br i1 %50, label %75, label %51

51:
  %52 = phi i1 [ %41, %38 ], [ %48, %42 ]
  %53 = phi i64 [ %40, %38 ], [ %47, %42 ]
  %54 = phi i64 [ 1, %38 ], [ %45, %42 ]
  %55 = load i64, ptr %5, align 8
  %56 = icmp slt i64 %55, 0
  %57 = select i1 %52, i1 %56, i1 false
  br i1 %57, label %58, label %59

58:
  store i64 %34, ptr %5, align 8
  br label %59

59:
  %60 = icmp eq i64 %54, 1
  %61 = select i1 %60, i64 0, i64 %36
  %62 = getelementptr inbounds nuw i64, ptr %4, i64 %34
  store i64 %61, ptr %62, align 8
  %63 = getelementptr inbounds i64, ptr %26, i64 %35
  %64 = load i64, ptr %63, align 8
  %65 = mul i64 %64, %53
  %66 = getelementptr inbounds nuw i64, ptr %26, i64 %34
  store i64 %65, ptr %66, align 8
  %67 = mul i64 %54, %36
  %68 = add nsw i64 %34, -1
  %69 = icmp slt i64 %34, 1
  br i1 %69, label %70, label %33

70:
  %71 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %72 = load i64, ptr %71, align 8
  %73 = icmp eq i64 %72, 0
  br i1 %73, label %75, label %74

74:
  call fastcc void @fill(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, ptr noundef %4, i64 noundef 0)
  br label %75

75:
  %76 = phi i1 [ true, %70 ], [ false, %3 ], [ false, %19 ], [ true, %74 ], [ false, %42 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  ret i1 %76
}

define internal fastcc void @fill(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %3, i64 noundef %4) #0 {
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %7 = load i64, ptr %6, align 8
  %8 = icmp sgt i64 %4, %7
  br i1 %8, label %9, label %13

9:
  %10 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %11 = getelementptr inbounds i64, ptr %10, i64 %4
  %12 = load i64, ptr %11, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %0, ptr align 1 %1, i64 %12, i1 false)
  br label %55

13:
  %14 = getelementptr inbounds i64, ptr %3, i64 %4
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %37, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %2, i64 40
  %19 = getelementptr inbounds i64, ptr %18, i64 %4
  %20 = load i64, ptr %19, align 8
  %21 = icmp sgt i64 %20, 0
  br i1 %21, label %22, label %55

22:
  %23 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %24 = add i64 %4, 1
  %25 = getelementptr inbounds i64, ptr %23, i64 %24
  br label %26

26:
  %27 = phi i64 [ 0, %22 ], [ %34, %26 ]
  %28 = load i64, ptr %25, align 8
  %29 = mul i64 %28, %27
  %30 = getelementptr inbounds i8, ptr %0, i64 %29
  %31 = load i64, ptr %14, align 8
  %32 = mul i64 %31, %27
  %33 = getelementptr inbounds i8, ptr %1, i64 %32
  tail call fastcc void @fill(ptr noundef %30, ptr noundef %33, ptr noundef nonnull %2, ptr noundef %3, i64 noundef %24)
  %34 = add nuw nsw i64 %27, 1
  %35 = load i64, ptr %19, align 8
  %36 = icmp slt i64 %34, %35
  br i1 %36, label %26, label %55

37:
  %38 = add i64 %4, 1
  tail call fastcc void @fill(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %38)
  %39 = getelementptr inbounds nuw i8, ptr %3, i64 64
  %40 = getelementptr inbounds i64, ptr %39, i64 %38
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds i64, ptr %39, i64 %4
  %43 = load i64, ptr %42, align 8
  %44 = icmp slt i64 %41, %43
  br i1 %44, label %45, label %55

45:
  %46 = phi i64 [ %53, %45 ], [ %41, %37 ]
  %47 = phi i64 [ %51, %45 ], [ %41, %37 ]
  %48 = icmp slt i64 %46, 16385
  %49 = select i1 %48, i64 %46, i64 %47
  %50 = sub i64 %43, %46
  %51 = tail call i64 @llvm.smin.i64(i64 %49, i64 %50)
  %52 = getelementptr inbounds i8, ptr %0, i64 %46
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %52, ptr align 1 %0, i64 %51, i1 false)
  %53 = add i64 %51, %46
  %54 = icmp slt i64 %53, %43
  br i1 %54, label %45, label %55

55:
  ret void
}

define internal { i64, i64 } @scan32(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = shl i64 %2, 1
  %5 = insertelement <16 x i64> poison, i64 %2, i64 0
  %6 = shufflevector <16 x i64> %5, <16 x i64> poison, <16 x i32> zeroinitializer
  %7 = insertelement <16 x i64> poison, i64 %4, i64 0
  %8 = shufflevector <16 x i64> %7, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %9

9:
  %10 = phi i64 [ 0, %3 ], [ %11, %13 ]
  %11 = add i64 %10, 16
  %12 = icmp sgt i64 %11, %1
  br i1 %12, label %21, label %13

13:
  %14 = getelementptr inbounds i32, ptr %0, i64 %10
  %15 = load <16 x i32>, ptr %14, align 4
  %16 = sext <16 x i32> %15 to <16 x i64>
  %17 = add <16 x i64> %6, %16
  %18 = icmp uge <16 x i64> %17, %8
  %19 = bitcast <16 x i1> %18 to i16
  %20 = icmp eq i16 %19, 0
  br i1 %20, label %9, label %21

21:
  %22 = icmp slt i64 %10, %1
  br i1 %22, label %26, label %33

23:
  %24 = add i64 %27, 1
  %25 = icmp eq i64 %24, %1
  br i1 %25, label %33, label %26

26:
  %27 = phi i64 [ %24, %23 ], [ %10, %21 ]
  %28 = getelementptr inbounds i32, ptr %0, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = sext i32 %29 to i64
  %31 = add i64 %2, %30
  %32 = icmp ult i64 %31, %4
  br i1 %32, label %23, label %33

33:
  %34 = phi i64 [ 0, %21 ], [ %30, %26 ], [ 0, %23 ]
  %35 = phi i64 [ 0, %21 ], [ 1, %26 ], [ 0, %23 ]
  %36 = insertvalue { i64, i64 } poison, i64 %34, 0
  %37 = insertvalue { i64, i64 } %36, i64 %35, 1
  ret { i64, i64 } %37
}

define internal { i64, i64 } @scan64(ptr noundef readonly captures(none) %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = shl i64 %2, 1
  %5 = insertelement <16 x i64> poison, i64 %2, i64 0
  %6 = shufflevector <16 x i64> %5, <16 x i64> poison, <16 x i32> zeroinitializer
  %7 = insertelement <16 x i64> poison, i64 %4, i64 0
  %8 = shufflevector <16 x i64> %7, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %9

9:
  %10 = phi i64 [ 0, %3 ], [ %11, %13 ]
  %11 = add i64 %10, 16
  %12 = icmp sgt i64 %11, %1
  br i1 %12, label %20, label %13

13:
  %14 = getelementptr inbounds i64, ptr %0, i64 %10
  %15 = load <16 x i64>, ptr %14, align 8
  %16 = add <16 x i64> %15, %6
  %17 = icmp uge <16 x i64> %16, %8
  %18 = bitcast <16 x i1> %17 to i16
  %19 = icmp eq i16 %18, 0
  br i1 %19, label %9, label %20

20:
  %21 = icmp slt i64 %10, %1
  br i1 %21, label %25, label %31

22:
  %23 = add i64 %26, 1
  %24 = icmp eq i64 %23, %1
  br i1 %24, label %31, label %25

25:
  %26 = phi i64 [ %23, %22 ], [ %10, %20 ]
  %27 = getelementptr inbounds i64, ptr %0, i64 %26
  %28 = load i64, ptr %27, align 8
  %29 = add i64 %28, %2
  %30 = icmp ult i64 %29, %4
  br i1 %30, label %22, label %31

31:
  %32 = phi i64 [ 0, %20 ], [ %28, %25 ], [ 0, %22 ]
  %33 = phi i64 [ 0, %20 ], [ 1, %25 ], [ 0, %22 ]
  %34 = insertvalue { i64, i64 } poison, i64 %32, 0
  %35 = insertvalue { i64, i64 } %34, i64 %33, 1
  ret { i64, i64 } %35
}

define internal fastcc void @trim(ptr noundef captures(none) %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 24
  br label %4

4:
  %5 = phi i64 [ 0, %1 ], [ %27, %26 ]
  %6 = getelementptr inbounds nuw ptr, ptr %2, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %26, label %9

9:
  %10 = lshr i64 %5, 4
  %11 = tail call i64 @llvm.usub.sat.i64(i64 %10, i64 1)
  %12 = shl nuw nsw i64 %11, 4
  %13 = sub nsw i64 %12, %5
  %14 = shl i64 %13, %11
  %15 = shl i64 %14, 6
  br label %17

16:
  ret void

17:
  %18 = phi ptr [ %7, %9 ], [ %24, %17 ]
  %19 = load ptr, ptr %18, align 8
  store ptr %19, ptr %6, align 8
  %20 = load i64, ptr %3, align 8
  %21 = add i64 %20, %15
  store i64 %21, ptr %3, align 8
  %22 = getelementptr inbounds i8, ptr %18, i64 -8
  %23 = load ptr, ptr %22, align 8
  tail call void @free(ptr noundef %23)
  %24 = load ptr, ptr %6, align 8
  %25 = icmp eq ptr %24, null
  br i1 %25, label %26, label %17

26:
  %27 = add nuw nsw i64 %5, 1
  %28 = icmp eq i64 %27, 768
  br i1 %28, label %16, label %4
}

declare void @free(ptr noundef) nonlazybind

declare ptr @calloc(i64 noundef, i64 noundef) nonlazybind

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) nonlazybind

define internal fastcc void @destroy(ptr noundef captures(none) %0, ptr noundef nonnull %1) #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  br label %5

5:
  %6 = phi ptr [ %1, %2 ], [ %90, %89 ]
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %9 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %10 = load i64, ptr %9, align 8
  %11 = icmp sgt i64 %10, -1
  br i1 %11, label %12, label %23

12:
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %84, label %16

16:
  %17 = load i64, ptr %14, align 8
  %18 = icmp eq i64 %17, 0
  br i1 %18, label %84, label %19

19:
  %20 = add i64 %17, -1
  store i64 %20, ptr %14, align 8
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %22, label %84

22:
  store ptr %7, ptr %14, align 8
  br label %84

23:
  %24 = icmp eq i64 %10, -1
  br i1 %24, label %25, label %52

25:
  %26 = load i64, ptr %8, align 8
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %84, label %28

28:
  %29 = load ptr, ptr %0, align 8
  %30 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, 63
  %33 = ashr i64 %32, 6
  %34 = tail call noundef i64 @llvm.smax.i64(i64 %33, i64 1)
  %35 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %34, i1 true)
  %36 = sub nsw i64 59, %35
  %37 = tail call noundef i64 @llvm.smax.i64(i64 %36, i64 0)
  %38 = add nsw i64 %34, -1
  %39 = lshr i64 %38, %37
  %40 = add nuw nsw i64 %39, 1
  %41 = shl i64 %40, %37
  %42 = shl i64 %41, 6
  %43 = inttoptr i64 %26 to ptr
  %44 = getelementptr inbounds nuw i8, ptr %29, i64 72
  %45 = getelementptr ptr, ptr %44, i64 %40
  %46 = shl nuw nsw i64 %37, 7
  %47 = getelementptr i8, ptr %45, i64 %46
  %48 = load ptr, ptr %47, align 8
  store ptr %48, ptr %43, align 8
  store ptr %43, ptr %47, align 8
  %49 = getelementptr inbounds nuw i8, ptr %29, i64 8
  %50 = load i64, ptr %49, align 8
  %51 = sub i64 %50, %42
  store i64 %51, ptr %49, align 8
  br label %84

52:
  %53 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %54 = load i64, ptr %53, align 8
  %55 = icmp sgt i64 %54, 0
  br i1 %55, label %56, label %84

56:
  %57 = getelementptr inbounds nuw i8, ptr %6, i64 40
  br label %58

58:
  %59 = phi i64 [ 0, %56 ], [ %73, %71 ]
  %60 = phi ptr [ %7, %56 ], [ %72, %71 ]
  %61 = getelementptr inbounds nuw ptr, ptr %57, i64 %59
  %62 = load ptr, ptr %61, align 8
  %63 = icmp eq ptr %62, null
  br i1 %63, label %71, label %64

64:
  %65 = load i64, ptr %62, align 8
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %71, label %67

67:
  %68 = add i64 %65, -1
  store i64 %68, ptr %62, align 8
  %69 = icmp eq i64 %68, 0
  br i1 %69, label %70, label %71

70:
  store ptr %60, ptr %62, align 8
  br label %71

71:
  %72 = phi ptr [ %62, %70 ], [ %60, %67 ], [ %60, %64 ], [ %60, %58 ]
  %73 = add nuw nsw i64 %59, 1
  %74 = icmp eq i64 %73, %54
  br i1 %74, label %75, label %58

75:
  %76 = icmp sgt i64 %54, 19
  br i1 %76, label %77, label %84

77:
  %78 = load ptr, ptr %0, align 8
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 48
  %80 = load i64, ptr %79, align 8
  %81 = shl i64 %54, 3
  %82 = sub i64 %80, %81
  %83 = add i64 %82, -40
  store i64 %83, ptr %79, align 8
  tail call void @free(ptr noundef nonnull %6)
  br label %89

84:
  %85 = phi ptr [ %72, %75 ], [ %7, %12 ], [ %7, %16 ], [ %7, %19 ], [ %14, %22 ], [ %7, %25 ], [ %7, %28 ], [ %7, %52 ]
  %86 = load ptr, ptr %3, align 8
  store ptr %86, ptr %6, align 8
  store ptr %6, ptr %3, align 8
  %87 = load i64, ptr %4, align 8
  %88 = add i64 %87, 1
  store i64 %88, ptr %4, align 8
  br label %89

89:
  %90 = phi ptr [ %85, %84 ], [ %72, %77 ]
  %91 = icmp eq ptr %90, null
  br i1 %91, label %92, label %5

92:
  ret void
}

