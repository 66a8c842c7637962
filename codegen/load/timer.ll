; LLVM IR of timer.c, written by scripts/runtime: do not edit. b9b0f5dfdc312939
%struct.timespec = type { i64, i64 }

define i64 @anytile_time_calls(ptr noundef readonly captures(none) %0, ptr noundef %1, i64 noundef %2, i64 noundef %3, ptr noundef %4, ptr noundef %5, i64 noundef %6) #0 {
  %8 = alloca %struct.timespec, align 8
  %9 = alloca %struct.timespec, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %8)
  call void @llvm.lifetime.start.p0(ptr nonnull %9)
  %10 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8)
  %11 = icmp sgt i64 %6, 0
  br i1 %11, label %12, label %24

12:
  %13 = phi i64 [ %21, %18 ], [ 0, %7 ]
  %14 = phi i64 [ %22, %18 ], [ 0, %7 ]
  %15 = getelementptr inbounds i8, ptr %1, i64 %13
  %16 = call i32 %0(ptr noundef %15, ptr noundef %4, ptr noundef %5)
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %36

18:
  %19 = add i64 %13, %2
  %20 = icmp eq i64 %19, %3
  %21 = select i1 %20, i64 0, i64 %19
  %22 = add nuw nsw i64 %14, 1
  %23 = icmp eq i64 %22, %6
  br i1 %23, label %24, label %12

24:
  %25 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9)
  %26 = load i64, ptr %9, align 8
  %27 = load i64, ptr %8, align 8
  %28 = sub i64 %26, %27
  %29 = mul i64 %28, 1000000000
  %30 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %29, %31
  %33 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %34 = load i64, ptr %33, align 8
  %35 = sub i64 %32, %34
  br label %36

36:
  %37 = phi i64 [ %35, %24 ], [ -1, %12 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %9)
  call void @llvm.lifetime.end.p0(ptr nonnull %8)
  ret i64 %37
}

declare i32 @clock_gettime(i32 noundef, ptr noundef) nonlazybind

