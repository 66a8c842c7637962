; LLVM IR of core_affinity.c, written by scripts/runtime: do not edit. 880b490cedbb102a
%struct.cores = type { [16 x i64] }
%struct.work = type { %struct.cores, ptr }

define internal void @keep_apart(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca %struct.cores, align 8
  %4 = alloca %struct.cores, align 8
  %5 = alloca %struct.work, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %4, i8 0, i64 128, i1 false)
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, -2
  br i1 %8, label %50, label %9

9:
  %10 = tail call i32 @sched_getcpu()
  %11 = sext i32 %10 to i64
  %12 = tail call i64 @pthread_self()
  %13 = load i64, ptr %6, align 8
  %14 = icmp eq i64 %13, %11
  br i1 %14, label %15, label %19

15:
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %17 = load i64, ptr %16, align 8
  %18 = icmp eq i64 %17, %12
  br i1 %18, label %50, label %19

19:
  %20 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %3)
  %21 = icmp ne i32 %20, 0
  %22 = icmp ugt i32 %10, 1023
  %23 = select i1 %21, i1 true, i1 %22
  br i1 %23, label %50, label %24

24:
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %5, ptr noundef nonnull align 8 dereferenceable(128) %3, i64 128, i1 false)
  %25 = getelementptr inbounds nuw i8, ptr %5, i64 128
  store ptr %0, ptr %25, align 8
  %26 = and i64 %11, 63
  %27 = shl nuw i64 1, %26
  %28 = lshr i64 %11, 6
  %29 = getelementptr inbounds nuw i64, ptr %4, i64 %28
  store i64 %27, ptr %29, align 8
  %30 = xor i64 %27, -1
  %31 = getelementptr inbounds nuw i64, ptr %5, i64 %28
  %32 = load i64, ptr %31, align 8
  %33 = and i64 %32, %30
  store i64 %33, ptr %31, align 8
  br label %36

34:
  %35 = icmp eq i64 %41, 0
  br i1 %35, label %49, label %44

36:
  %37 = phi i64 [ 0, %24 ], [ %42, %36 ]
  %38 = phi i64 [ 0, %24 ], [ %41, %36 ]
  %39 = getelementptr inbounds nuw i64, ptr %5, i64 %37
  %40 = load i64, ptr %39, align 8
  %41 = or i64 %40, %38
  %42 = add nuw nsw i64 %37, 1
  %43 = icmp eq i64 %42, 16
  br i1 %43, label %34, label %36

44:
  %45 = call i32 @sched_setaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %4)
  %46 = load ptr, ptr %0, align 8
  call void %46(ptr noundef nonnull @leave_the_core, ptr noundef nonnull %5, i32 noundef %1, i32 noundef 0)
  %47 = call i32 @sched_setaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %3)
  store i64 %11, ptr %6, align 8
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i64 %12, ptr %48, align 8
  br label %49

49:
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  br label %50

50:
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %3)
  ret void
}

declare i32 @sched_getcpu() nonlazybind

declare i64 @pthread_self() nonlazybind

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) nonlazybind

declare i32 @sched_setaffinity(i32 noundef, i64 noundef, ptr noundef) nonlazybind

define internal void @leave_the_core(ptr noundef %0) #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i32 %5()
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %10, label %8

8:
  %9 = tail call i32 @sched_setaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %0)
  br label %10

10:
  ret void
}

