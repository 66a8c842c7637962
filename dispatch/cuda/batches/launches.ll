; LLVM IR of launches.c, written by scripts/runtime: do not edit. a9fad4ba14d19856
%struct.attribute = type { i32, i32, i32, [15 x i32] }
%struct.configuration = type { i32, i32, i32, i32, i32, i32, i32, i64, ptr, i32 }
%struct.launch = type { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr }

define i64 @anytile_launch_all(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(address_is_null) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i64 noundef %4, ptr noundef readonly captures(none) %5, i64 noundef %6, i64 noundef %7, ptr noundef writeonly captures(none) initializes((0, 8)) %8) #0 {
  %10 = alloca %struct.attribute, align 4
  %11 = alloca %struct.configuration, align 8
  store i64 0, ptr %8, align 8
  %12 = icmp slt i64 %3, %4
  br i1 %12, label %13, label %135

13:
  %14 = icmp eq ptr %1, null
  %15 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %16 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 4
  %18 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %19 = getelementptr inbounds nuw i8, ptr %11, i64 12
  %20 = getelementptr inbounds nuw i8, ptr %11, i64 16
  %21 = getelementptr inbounds nuw i8, ptr %11, i64 20
  %22 = getelementptr inbounds nuw i8, ptr %11, i64 24
  %23 = getelementptr inbounds nuw i8, ptr %11, i64 28
  %24 = getelementptr inbounds nuw i8, ptr %11, i64 32
  %25 = getelementptr inbounds nuw i8, ptr %11, i64 40
  %26 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %27 = getelementptr inbounds nuw i8, ptr %11, i64 52
  br label %28

28:
  %29 = phi i64 [ %3, %13 ], [ %133, %132 ]
  %30 = getelementptr inbounds %struct.launch, ptr %2, i64 %29
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 72
  %32 = load i64, ptr %31, align 8
  %33 = icmp sgt i64 %32, 0
  br i1 %33, label %34, label %37

34:
  %35 = getelementptr inbounds nuw i8, ptr %30, i64 96
  %36 = getelementptr inbounds nuw i8, ptr %30, i64 104
  br label %45

37:
  %38 = phi i64 [ 0, %28 ], [ %59, %45 ]
  %39 = phi i64 [ %32, %28 ], [ %61, %45 ]
  %40 = getelementptr inbounds nuw i8, ptr %30, i64 64
  %41 = load i64, ptr %40, align 8
  %42 = and i64 %41, %38
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %63, label %44

44:
  store i64 -1, ptr %8, align 8
  br label %135

45:
  %46 = phi i64 [ 0, %34 ], [ %60, %45 ]
  %47 = phi i64 [ 0, %34 ], [ %59, %45 ]
  %48 = load ptr, ptr %35, align 8
  %49 = shl i64 %46, 4
  %50 = getelementptr inbounds i8, ptr %48, i64 %49
  %51 = load i64, ptr %50, align 8
  %52 = getelementptr inbounds i64, ptr %5, i64 %51
  %53 = load i64, ptr %52, align 8
  %54 = getelementptr i8, ptr %50, i64 8
  %55 = load i64, ptr %54, align 8
  %56 = add i64 %55, %53
  %57 = load ptr, ptr %36, align 8
  %58 = getelementptr inbounds nuw i64, ptr %57, i64 %46
  store i64 %56, ptr %58, align 8
  %59 = or i64 %56, %47
  %60 = add nuw nsw i64 %46, 1
  %61 = load i64, ptr %31, align 8
  %62 = icmp slt i64 %60, %61
  br i1 %62, label %45, label %37

63:
  %64 = getelementptr inbounds nuw i8, ptr %30, i64 80
  %65 = load i64, ptr %64, align 8
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %71, label %67

67:
  %68 = getelementptr inbounds nuw i8, ptr %30, i64 104
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds i64, ptr %69, i64 %39
  store i64 %6, ptr %70, align 8
  br label %71

71:
  br i1 %14, label %102, label %72

72:
  %73 = getelementptr inbounds nuw i8, ptr %30, i64 88
  %74 = load i64, ptr %73, align 8
  %75 = icmp eq i64 %74, 0
  br i1 %75, label %102, label %76

76:
  call void @llvm.lifetime.start.p0(ptr nonnull %10)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(68) %15, i8 0, i64 68, i1 false)
  store i32 6, ptr %10, align 4
  store i32 1, ptr %16, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %11)
  %77 = getelementptr inbounds nuw i8, ptr %30, i64 8
  %78 = load i64, ptr %77, align 8
  %79 = trunc i64 %78 to i32
  store i32 %79, ptr %11, align 8
  %80 = getelementptr inbounds nuw i8, ptr %30, i64 16
  %81 = load i64, ptr %80, align 8
  %82 = trunc i64 %81 to i32
  store i32 %82, ptr %17, align 4
  %83 = getelementptr inbounds nuw i8, ptr %30, i64 24
  %84 = load i64, ptr %83, align 8
  %85 = trunc i64 %84 to i32
  store i32 %85, ptr %18, align 8
  %86 = getelementptr inbounds nuw i8, ptr %30, i64 32
  %87 = load i64, ptr %86, align 8
  %88 = trunc i64 %87 to i32
  store i32 %88, ptr %19, align 4
  %89 = getelementptr inbounds nuw i8, ptr %30, i64 40
  %90 = load i64, ptr %89, align 8
  %91 = trunc i64 %90 to i32
  store i32 %91, ptr %20, align 8
  %92 = getelementptr inbounds nuw i8, ptr %30, i64 48
  %93 = load i64, ptr %92, align 8
  %94 = trunc i64 %93 to i32
  store i32 %94, ptr %21, align 4
  %95 = getelementptr inbounds nuw i8, ptr %30, i64 56
  %96 = load i64, ptr %95, align 8
  %97 = trunc i64 %96 to i32
  store i32 %97, ptr %22, align 8
  store i32 0, ptr %23, align 4
  store i64 %7, ptr %24, align 8
  store ptr %10, ptr %25, align 8
  store i32 1, ptr %26, align 8
  store i32 0, ptr %27, align 4
  %98 = load i64, ptr %30, align 8
  %99 = getelementptr inbounds nuw i8, ptr %30, i64 112
  %100 = load ptr, ptr %99, align 8
  %101 = call i32 %1(ptr noundef nonnull %11, i64 noundef %98, ptr noundef %100, ptr noundef null)
  call void @llvm.lifetime.end.p0(ptr nonnull %11)
  call void @llvm.lifetime.end.p0(ptr nonnull %10)
  br label %128

102:
  %103 = load i64, ptr %30, align 8
  %104 = getelementptr inbounds nuw i8, ptr %30, i64 8
  %105 = load i64, ptr %104, align 8
  %106 = trunc i64 %105 to i32
  %107 = getelementptr inbounds nuw i8, ptr %30, i64 16
  %108 = load i64, ptr %107, align 8
  %109 = trunc i64 %108 to i32
  %110 = getelementptr inbounds nuw i8, ptr %30, i64 24
  %111 = load i64, ptr %110, align 8
  %112 = trunc i64 %111 to i32
  %113 = getelementptr inbounds nuw i8, ptr %30, i64 32
  %114 = load i64, ptr %113, align 8
  %115 = trunc i64 %114 to i32
  %116 = getelementptr inbounds nuw i8, ptr %30, i64 40
  %117 = load i64, ptr %116, align 8
  %118 = trunc i64 %117 to i32
  %119 = getelementptr inbounds nuw i8, ptr %30, i64 48
  %120 = load i64, ptr %119, align 8
  %121 = trunc i64 %120 to i32
  %122 = getelementptr inbounds nuw i8, ptr %30, i64 56
  %123 = load i64, ptr %122, align 8
  %124 = trunc i64 %123 to i32
  %125 = getelementptr inbounds nuw i8, ptr %30, i64 112
  %126 = load ptr, ptr %125, align 8
  %127 = call i32 %0(i64 noundef %103, i32 noundef %106, i32 noundef %109, i32 noundef %112, i32 noundef %115, i32 noundef %118, i32 noundef %121, i32 noundef %124, i64 noundef %7, ptr noundef %126, ptr noundef null)
  br label %128

128:
  %129 = phi i32 [ %101, %76 ], [ %127, %102 ]
  %130 = sext i32 %129 to i64
  store i64 %130, ptr %8, align 8
  %131 = icmp eq i32 %129, 0
  br i1 %131, label %132, label %135

132:
  %133 = add nsw i64 %29, 1
  %134 = icmp eq i64 %133, %4
  br i1 %134, label %135, label %28

135:
  %136 = phi i64 [ %29, %44 ], [ %4, %9 ], [ %4, %132 ], [ %29, %128 ]
  ret i64 %136
}

