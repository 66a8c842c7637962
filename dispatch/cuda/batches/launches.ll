; LLVM IR of launches.c, written by scripts/runtime: do not edit. ab9dc16cbe7d9d75
%struct.attribute = type { i32, i32, i32, [15 x i32] }
%struct.configuration = type { i32, i32, i32, i32, i32, i32, i32, i64, ptr, i32 }
%struct.launch = type { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr }

define i64 @anytile_launch_all(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(address_is_null) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i64 noundef %4, ptr noundef readonly captures(none) %5, i64 noundef %6, i64 noundef %7, ptr noundef writeonly captures(none) initializes((0, 8)) %8) #0 {
  %10 = alloca %struct.attribute, align 4
  %11 = alloca %struct.configuration, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %10)
  %12 = getelementptr inbounds nuw i8, ptr %10, i64 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(68) %12, i8 0, i64 68, i1 false)
  store i32 6, ptr %10, align 4
  %13 = getelementptr inbounds nuw i8, ptr %10, i64 8
  store i32 1, ptr %13, align 4
  store i64 0, ptr %8, align 8
  %14 = icmp slt i64 %3, %4
  br i1 %14, label %15, label %114

15:
  %16 = getelementptr inbounds nuw i8, ptr %11, i64 4
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %18 = getelementptr inbounds nuw i8, ptr %11, i64 12
  %19 = getelementptr inbounds nuw i8, ptr %11, i64 16
  %20 = getelementptr inbounds nuw i8, ptr %11, i64 20
  %21 = getelementptr inbounds nuw i8, ptr %11, i64 24
  %22 = getelementptr inbounds nuw i8, ptr %11, i64 28
  %23 = getelementptr inbounds nuw i8, ptr %11, i64 32
  %24 = getelementptr inbounds nuw i8, ptr %11, i64 40
  %25 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %26 = getelementptr inbounds nuw i8, ptr %11, i64 52
  %27 = icmp eq ptr %1, null
  br label %28

28:
  %29 = phi i64 [ %3, %15 ], [ %112, %111 ]
  %30 = getelementptr inbounds %struct.launch, ptr %2, i64 %29
  %31 = getelementptr inbounds nuw i8, ptr %30, i64 72
  %32 = load i64, ptr %31, align 8
  %33 = icmp sgt i64 %32, 0
  br i1 %33, label %34, label %37

34:
  %35 = getelementptr inbounds nuw i8, ptr %30, i64 96
  %36 = getelementptr inbounds nuw i8, ptr %30, i64 104
  br label %44

37:
  %38 = phi i64 [ 0, %28 ], [ %58, %44 ]
  %39 = phi i64 [ %32, %28 ], [ %60, %44 ]
  %40 = getelementptr inbounds nuw i8, ptr %30, i64 64
  %41 = load i64, ptr %40, align 8
  %42 = and i64 %41, %38
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %63, label %62

44:
  %45 = phi i64 [ 0, %34 ], [ %59, %44 ]
  %46 = phi i64 [ 0, %34 ], [ %58, %44 ]
  %47 = load ptr, ptr %35, align 8
  %48 = shl i64 %45, 4
  %49 = getelementptr inbounds i8, ptr %47, i64 %48
  %50 = load i64, ptr %49, align 8
  %51 = getelementptr inbounds i64, ptr %5, i64 %50
  %52 = load i64, ptr %51, align 8
  %53 = getelementptr i8, ptr %49, i64 8
  %54 = load i64, ptr %53, align 8
  %55 = add i64 %54, %52
  %56 = load ptr, ptr %36, align 8
  %57 = getelementptr inbounds nuw i64, ptr %56, i64 %45
  store i64 %55, ptr %57, align 8
  %58 = or i64 %55, %46
  %59 = add nuw nsw i64 %45, 1
  %60 = load i64, ptr %31, align 8
  %61 = icmp slt i64 %59, %60
  br i1 %61, label %44, label %37

62:
  store i64 -1, ptr %8, align 8
  br label %114

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
  call void @llvm.lifetime.start.p0(ptr nonnull %11)
  %72 = getelementptr inbounds nuw i8, ptr %30, i64 8
  %73 = load i64, ptr %72, align 8
  %74 = trunc i64 %73 to i32
  store i32 %74, ptr %11, align 8
  %75 = getelementptr inbounds nuw i8, ptr %30, i64 16
  %76 = load i64, ptr %75, align 8
  %77 = trunc i64 %76 to i32
  store i32 %77, ptr %16, align 4
  %78 = getelementptr inbounds nuw i8, ptr %30, i64 24
  %79 = load i64, ptr %78, align 8
  %80 = trunc i64 %79 to i32
  store i32 %80, ptr %17, align 8
  %81 = getelementptr inbounds nuw i8, ptr %30, i64 32
  %82 = load i64, ptr %81, align 8
  %83 = trunc i64 %82 to i32
  store i32 %83, ptr %18, align 4
  %84 = getelementptr inbounds nuw i8, ptr %30, i64 40
  %85 = load i64, ptr %84, align 8
  %86 = trunc i64 %85 to i32
  store i32 %86, ptr %19, align 8
  %87 = getelementptr inbounds nuw i8, ptr %30, i64 48
  %88 = load i64, ptr %87, align 8
  %89 = trunc i64 %88 to i32
  store i32 %89, ptr %20, align 4
  %90 = getelementptr inbounds nuw i8, ptr %30, i64 56
  %91 = load i64, ptr %90, align 8
  %92 = trunc i64 %91 to i32
  store i32 %92, ptr %21, align 8
  store i32 0, ptr %22, align 4
  store i64 %7, ptr %23, align 8
  store ptr %10, ptr %24, align 8
  store i32 1, ptr %25, align 8
  store i32 0, ptr %26, align 4
  br i1 %27, label %102, label %93

93:
  %94 = getelementptr inbounds nuw i8, ptr %30, i64 88
  %95 = load i64, ptr %94, align 8
  %96 = icmp eq i64 %95, 0
  br i1 %96, label %102, label %97

97:
  %98 = load i64, ptr %30, align 8
  %99 = getelementptr inbounds nuw i8, ptr %30, i64 112
  %100 = load ptr, ptr %99, align 8
  %101 = call i32 %1(ptr noundef nonnull %11, i64 noundef %98, ptr noundef %100, ptr noundef null)
  br label %107

102:
  %103 = load i64, ptr %30, align 8
  %104 = getelementptr inbounds nuw i8, ptr %30, i64 112
  %105 = load ptr, ptr %104, align 8
  %106 = call i32 %0(i64 noundef %103, i32 noundef %74, i32 noundef %77, i32 noundef %80, i32 noundef %83, i32 noundef %86, i32 noundef %89, i32 noundef %92, i64 noundef %7, ptr noundef %105, ptr noundef null)
  br label %107

107:
  %108 = phi i32 [ %101, %97 ], [ %106, %102 ]
  %109 = sext i32 %108 to i64
  store i64 %109, ptr %8, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %11)
  %110 = icmp eq i32 %108, 0
  br i1 %110, label %111, label %114

111:
  %112 = add nsw i64 %29, 1
  %113 = icmp eq i64 %112, %4
  br i1 %113, label %114, label %28

114:
  %115 = phi i64 [ %29, %62 ], [ %3, %9 ], [ %29, %107 ], [ %4, %111 ]
  %116 = call i64 @llvm.smin.i64(i64 %115, i64 %4)
  call void @llvm.lifetime.end.p0(ptr nonnull %10)
  ret i64 %116
}

