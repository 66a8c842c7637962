; LLVM IR of thunk.c, written by scripts/runtime: do not edit. 3f97cfa16bd24780
%struct.anon = type { ptr, ptr, ptr, ptr, ptr, i64 }

@anytile_library = global %struct.anon zeroinitializer, align 8

define void @anytile_blas_thunk32(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %8, ptr noundef %9, i64 noundef %10, float noundef %11, ptr noundef %12, i64 noundef %13) #0 {
  %15 = load ptr, ptr @anytile_library, align 8
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %17 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %18 = icmp eq ptr %17, null
  br i1 %18, label %41, label %19

19:
  %20 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  %21 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 40), align 8
  br label %22

22:
  %23 = cmpxchg ptr %20, i32 0, i32 1 acquire monotonic, align 4
  %24 = extractvalue { i32, i1 } %23, 1
  br i1 %24, label %25, label %22

25:
  %26 = trunc i64 %21 to i32
  %27 = getelementptr inbounds nuw i8, ptr %20, i64 4
  %28 = load i32, ptr %27, align 4
  %29 = add i32 %28, 1
  store i32 %29, ptr %27, align 4
  %30 = icmp eq i32 %28, 0
  br i1 %30, label %31, label %40

31:
  %32 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %33 = tail call i32 %32()
  %34 = icmp eq i32 %33, %26
  %35 = select i1 %34, i32 0, i32 %33
  %36 = getelementptr inbounds nuw i8, ptr %20, i64 8
  store i32 %35, ptr %36, align 4
  %37 = icmp eq i32 %35, 0
  br i1 %37, label %40, label %38

38:
  %39 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  tail call void %39(i32 noundef %26)
  br label %40

40:
  store atomic i32 0, ptr %20 release, align 4
  br label %41

41:
  %42 = icmp ne ptr %16, null
  %43 = icmp eq i32 %0, 101
  %44 = and i1 %43, %42
  %45 = icmp eq i32 %1, 111
  %46 = and i1 %45, %44
  %47 = icmp eq i64 %3, 1
  %48 = and i1 %47, %46
  %49 = icmp sgt i64 %4, 0
  %50 = and i1 %49, %48
  %51 = icmp sgt i64 %5, 0
  %52 = and i1 %51, %50
  br i1 %52, label %53, label %62

53:
  %54 = icmp eq i32 %2, 111
  %55 = select i1 %54, i32 112, i32 111
  %56 = select i1 %54, i64 %5, i64 %4
  %57 = trunc i64 %56 to i32
  %58 = select i1 %54, i64 %4, i64 %5
  %59 = trunc i64 %58 to i32
  %60 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  %61 = trunc i64 %60 to i32
  tail call void %16(i32 noundef 101, i32 noundef %55, i32 noundef %57, i32 noundef %59, float noundef %6, ptr noundef %9, i32 noundef %61, ptr noundef %7, i32 noundef 1, float noundef %11, ptr noundef %12, i32 noundef 1)
  br label %72

62:
  %63 = trunc i64 %3 to i32
  %64 = trunc i64 %4 to i32
  %65 = trunc i64 %5 to i32
  %66 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %8, i64 1)
  %67 = trunc i64 %66 to i32
  %68 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  %69 = trunc i64 %68 to i32
  %70 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %13, i64 1)
  %71 = trunc i64 %70 to i32
  tail call void %15(i32 noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %63, i32 noundef %64, i32 noundef %65, float noundef %6, ptr noundef %7, i32 noundef %67, ptr noundef %9, i32 noundef %69, float noundef %11, ptr noundef %12, i32 noundef %71)
  br label %72

72:
  %73 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %74 = icmp eq ptr %73, null
  br i1 %74, label %92, label %75

75:
  %76 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  br label %77

77:
  %78 = cmpxchg ptr %76, i32 0, i32 1 acquire monotonic, align 4
  %79 = extractvalue { i32, i1 } %78, 1
  br i1 %79, label %80, label %77

80:
  %81 = getelementptr inbounds nuw i8, ptr %76, i64 4
  %82 = load i32, ptr %81, align 4
  %83 = add i32 %82, -1
  store i32 %83, ptr %81, align 4
  %84 = icmp eq i32 %83, 0
  br i1 %84, label %85, label %91

85:
  %86 = getelementptr inbounds nuw i8, ptr %76, i64 8
  %87 = load i32, ptr %86, align 4
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %91, label %89

89:
  store i32 0, ptr %86, align 4
  %90 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  tail call void %90(i32 noundef %87)
  br label %91

91:
  store atomic i32 0, ptr %76 release, align 4
  br label %92

92:
  ret void
}

define void @anytile_blas_thunk64(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %8, ptr noundef %9, i64 noundef %10, float noundef %11, ptr noundef %12, i64 noundef %13) #0 {
  %15 = load ptr, ptr @anytile_library, align 8
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %17 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %18 = icmp eq ptr %17, null
  br i1 %18, label %41, label %19

19:
  %20 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  %21 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 40), align 8
  br label %22

22:
  %23 = cmpxchg ptr %20, i32 0, i32 1 acquire monotonic, align 4
  %24 = extractvalue { i32, i1 } %23, 1
  br i1 %24, label %25, label %22

25:
  %26 = trunc i64 %21 to i32
  %27 = getelementptr inbounds nuw i8, ptr %20, i64 4
  %28 = load i32, ptr %27, align 4
  %29 = add i32 %28, 1
  store i32 %29, ptr %27, align 4
  %30 = icmp eq i32 %28, 0
  br i1 %30, label %31, label %40

31:
  %32 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %33 = tail call i32 %32()
  %34 = icmp eq i32 %33, %26
  %35 = select i1 %34, i32 0, i32 %33
  %36 = getelementptr inbounds nuw i8, ptr %20, i64 8
  store i32 %35, ptr %36, align 4
  %37 = icmp eq i32 %35, 0
  br i1 %37, label %40, label %38

38:
  %39 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  tail call void %39(i32 noundef %26)
  br label %40

40:
  store atomic i32 0, ptr %20 release, align 4
  br label %41

41:
  %42 = icmp ne ptr %16, null
  %43 = icmp eq i32 %0, 101
  %44 = and i1 %43, %42
  %45 = icmp eq i32 %1, 111
  %46 = and i1 %45, %44
  %47 = icmp eq i64 %3, 1
  %48 = and i1 %47, %46
  %49 = icmp sgt i64 %4, 0
  %50 = and i1 %49, %48
  %51 = icmp sgt i64 %5, 0
  %52 = and i1 %51, %50
  br i1 %52, label %53, label %59

53:
  %54 = icmp eq i32 %2, 111
  %55 = select i1 %54, i32 112, i32 111
  %56 = select i1 %54, i64 %5, i64 %4
  %57 = select i1 %54, i64 %4, i64 %5
  %58 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  tail call void %16(i32 noundef 101, i32 noundef %55, i64 noundef %56, i64 noundef %57, float noundef %6, ptr noundef %9, i64 noundef %58, ptr noundef %7, i64 noundef 1, float noundef %11, ptr noundef %12, i64 noundef 1)
  br label %63

59:
  %60 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %8, i64 1)
  %61 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  %62 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %13, i64 1)
  tail call void %15(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %60, ptr noundef %9, i64 noundef %61, float noundef %11, ptr noundef %12, i64 noundef %62)
  br label %63

63:
  %64 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  %65 = icmp eq ptr %64, null
  br i1 %65, label %83, label %66

66:
  %67 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  br label %68

68:
  %69 = cmpxchg ptr %67, i32 0, i32 1 acquire monotonic, align 4
  %70 = extractvalue { i32, i1 } %69, 1
  br i1 %70, label %71, label %68

71:
  %72 = getelementptr inbounds nuw i8, ptr %67, i64 4
  %73 = load i32, ptr %72, align 4
  %74 = add i32 %73, -1
  store i32 %74, ptr %72, align 4
  %75 = icmp eq i32 %74, 0
  br i1 %75, label %76, label %82

76:
  %77 = getelementptr inbounds nuw i8, ptr %67, i64 8
  %78 = load i32, ptr %77, align 4
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %82, label %80

80:
  store i32 0, ptr %77, align 4
  %81 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  tail call void %81(i32 noundef %78)
  br label %82

82:
  store atomic i32 0, ptr %67 release, align 4
  br label %83

83:
  ret void
}

