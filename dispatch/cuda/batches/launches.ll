; LLVM IR of launches.c, written by scripts/runtime: do not edit. a92ed4206e84655e
%struct.launch = type { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr }

define i64 @anytile_launch_all(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2, i64 noundef %3, ptr noundef readonly captures(none) %4, i64 noundef %5, i64 noundef %6, ptr noundef writeonly captures(none) initializes((0, 8)) %7) #0 {
  store i64 0, ptr %7, align 8
  %9 = icmp slt i64 %2, %3
  br i1 %9, label %10, label %84

10:
  %11 = phi i64 [ %82, %81 ], [ %2, %8 ]
  %12 = getelementptr inbounds %struct.launch, ptr %1, i64 %11
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 72
  %14 = load i64, ptr %13, align 8
  %15 = icmp sgt i64 %14, 0
  br i1 %15, label %16, label %19

16:
  %17 = getelementptr inbounds nuw i8, ptr %12, i64 88
  %18 = getelementptr inbounds nuw i8, ptr %12, i64 96
  br label %27

19:
  %20 = phi i64 [ 0, %10 ], [ %41, %27 ]
  %21 = phi i64 [ %14, %10 ], [ %43, %27 ]
  %22 = getelementptr inbounds nuw i8, ptr %12, i64 64
  %23 = load i64, ptr %22, align 8
  %24 = and i64 %23, %20
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %45, label %26

26:
  store i64 -1, ptr %7, align 8
  br label %84

27:
  %28 = phi i64 [ 0, %16 ], [ %42, %27 ]
  %29 = phi i64 [ 0, %16 ], [ %41, %27 ]
  %30 = load ptr, ptr %17, align 8
  %31 = shl i64 %28, 4
  %32 = getelementptr inbounds i8, ptr %30, i64 %31
  %33 = load i64, ptr %32, align 8
  %34 = getelementptr inbounds i64, ptr %4, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr i8, ptr %32, i64 8
  %37 = load i64, ptr %36, align 8
  %38 = add i64 %37, %35
  %39 = load ptr, ptr %18, align 8
  %40 = getelementptr inbounds nuw i64, ptr %39, i64 %28
  store i64 %38, ptr %40, align 8
  %41 = or i64 %38, %29
  %42 = add nuw nsw i64 %28, 1
  %43 = load i64, ptr %13, align 8
  %44 = icmp slt i64 %42, %43
  br i1 %44, label %27, label %19

45:
  %46 = getelementptr inbounds nuw i8, ptr %12, i64 80
  %47 = load i64, ptr %46, align 8
  %48 = icmp eq i64 %47, 0
  br i1 %48, label %53, label %49

49:
  %50 = getelementptr inbounds nuw i8, ptr %12, i64 96
  %51 = load ptr, ptr %50, align 8
  %52 = getelementptr inbounds i64, ptr %51, i64 %21
  store i64 %5, ptr %52, align 8
  br label %53

53:
  %54 = load i64, ptr %12, align 8
  %55 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %56 = load i64, ptr %55, align 8
  %57 = trunc i64 %56 to i32
  %58 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %59 = load i64, ptr %58, align 8
  %60 = trunc i64 %59 to i32
  %61 = getelementptr inbounds nuw i8, ptr %12, i64 24
  %62 = load i64, ptr %61, align 8
  %63 = trunc i64 %62 to i32
  %64 = getelementptr inbounds nuw i8, ptr %12, i64 32
  %65 = load i64, ptr %64, align 8
  %66 = trunc i64 %65 to i32
  %67 = getelementptr inbounds nuw i8, ptr %12, i64 40
  %68 = load i64, ptr %67, align 8
  %69 = trunc i64 %68 to i32
  %70 = getelementptr inbounds nuw i8, ptr %12, i64 48
  %71 = load i64, ptr %70, align 8
  %72 = trunc i64 %71 to i32
  %73 = getelementptr inbounds nuw i8, ptr %12, i64 56
  %74 = load i64, ptr %73, align 8
  %75 = trunc i64 %74 to i32
  %76 = getelementptr inbounds nuw i8, ptr %12, i64 104
  %77 = load ptr, ptr %76, align 8
  %78 = tail call i32 %0(i64 noundef %54, i32 noundef %57, i32 noundef %60, i32 noundef %63, i32 noundef %66, i32 noundef %69, i32 noundef %72, i32 noundef %75, i64 noundef %6, ptr noundef %77, ptr noundef null)
  %79 = sext i32 %78 to i64
  store i64 %79, ptr %7, align 8
  %80 = icmp eq i32 %78, 0
  br i1 %80, label %81, label %84

81:
  %82 = add nsw i64 %11, 1
  %83 = icmp eq i64 %82, %3
  br i1 %83, label %84, label %10

84:
  %85 = phi i64 [ %11, %26 ], [ %3, %8 ], [ %3, %81 ], [ %11, %53 ]
  ret i64 %85
}

