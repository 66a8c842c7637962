; LLVM IR of thunk.c, written by scripts/runtime: do not edit. bcaf3784f97b249b
%struct.anon = type { ptr, ptr, ptr, ptr, i64 }

@anytile_library = global %struct.anon zeroinitializer, align 8

define void @anytile_blas_thunk32(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %8, ptr noundef %9, i64 noundef %10, float noundef %11, ptr noundef %12, i64 noundef %13) #0 {
  %15 = load ptr, ptr @anytile_library, align 8
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %40, label %18

18:
  %19 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  %20 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  br label %21

21:
  %22 = cmpxchg ptr %19, i32 0, i32 1 acquire monotonic, align 4
  %23 = extractvalue { i32, i1 } %22, 1
  br i1 %23, label %24, label %21

24:
  %25 = trunc i64 %20 to i32
  %26 = getelementptr inbounds nuw i8, ptr %19, i64 4
  %27 = load i32, ptr %26, align 4
  %28 = add i32 %27, 1
  store i32 %28, ptr %26, align 4
  %29 = icmp eq i32 %27, 0
  br i1 %29, label %30, label %39

30:
  %31 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %32 = tail call i32 %31()
  %33 = icmp eq i32 %32, %25
  %34 = select i1 %33, i32 0, i32 %32
  %35 = getelementptr inbounds nuw i8, ptr %19, i64 8
  store i32 %34, ptr %35, align 4
  %36 = icmp eq i32 %34, 0
  br i1 %36, label %39, label %37

37:
  %38 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  tail call void %38(i32 noundef %25)
  br label %39

39:
  store atomic i32 0, ptr %19 release, align 4
  br label %40

40:
  %41 = trunc i64 %3 to i32
  %42 = trunc i64 %4 to i32
  %43 = trunc i64 %5 to i32
  %44 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %8, i64 1)
  %45 = trunc i64 %44 to i32
  %46 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  %47 = trunc i64 %46 to i32
  %48 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %13, i64 1)
  %49 = trunc i64 %48 to i32
  tail call void %15(i32 noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %41, i32 noundef %42, i32 noundef %43, float noundef %6, ptr noundef %7, i32 noundef %45, ptr noundef %9, i32 noundef %47, float noundef %11, ptr noundef %12, i32 noundef %49)
  %50 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %51 = icmp eq ptr %50, null
  br i1 %51, label %69, label %52

52:
  %53 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  br label %54

54:
  %55 = cmpxchg ptr %53, i32 0, i32 1 acquire monotonic, align 4
  %56 = extractvalue { i32, i1 } %55, 1
  br i1 %56, label %57, label %54

57:
  %58 = getelementptr inbounds nuw i8, ptr %53, i64 4
  %59 = load i32, ptr %58, align 4
  %60 = add i32 %59, -1
  store i32 %60, ptr %58, align 4
  %61 = icmp eq i32 %60, 0
  br i1 %61, label %62, label %68

62:
  %63 = getelementptr inbounds nuw i8, ptr %53, i64 8
  %64 = load i32, ptr %63, align 4
  %65 = icmp eq i32 %64, 0
  br i1 %65, label %68, label %66

66:
  store i32 0, ptr %63, align 4
  %67 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  tail call void %67(i32 noundef %64)
  br label %68

68:
  store atomic i32 0, ptr %53 release, align 4
  br label %69

69:
  ret void
}

define void @anytile_blas_thunk64(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %8, ptr noundef %9, i64 noundef %10, float noundef %11, ptr noundef %12, i64 noundef %13) #0 {
  %15 = load ptr, ptr @anytile_library, align 8
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %40, label %18

18:
  %19 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  %20 = load i64, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 32), align 8
  br label %21

21:
  %22 = cmpxchg ptr %19, i32 0, i32 1 acquire monotonic, align 4
  %23 = extractvalue { i32, i1 } %22, 1
  br i1 %23, label %24, label %21

24:
  %25 = trunc i64 %20 to i32
  %26 = getelementptr inbounds nuw i8, ptr %19, i64 4
  %27 = load i32, ptr %26, align 4
  %28 = add i32 %27, 1
  store i32 %28, ptr %26, align 4
  %29 = icmp eq i32 %27, 0
  br i1 %29, label %30, label %39

30:
  %31 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %32 = tail call i32 %31()
  %33 = icmp eq i32 %32, %25
  %34 = select i1 %33, i32 0, i32 %32
  %35 = getelementptr inbounds nuw i8, ptr %19, i64 8
  store i32 %34, ptr %35, align 4
  %36 = icmp eq i32 %34, 0
  br i1 %36, label %39, label %37

37:
  %38 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  tail call void %38(i32 noundef %25)
  br label %39

39:
  store atomic i32 0, ptr %19 release, align 4
  br label %40

40:
  %41 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %8, i64 1)
  %42 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %10, i64 1)
  %43 = tail call noundef range(i64 1, -9223372036854775808) i64 @llvm.smax.i64(i64 %13, i64 1)
  tail call void %15(i32 noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i64 noundef %4, i64 noundef %5, float noundef %6, ptr noundef %7, i64 noundef %41, ptr noundef %9, i64 noundef %42, float noundef %11, ptr noundef %12, i64 noundef %43)
  %44 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 8), align 8
  %45 = icmp eq ptr %44, null
  br i1 %45, label %63, label %46

46:
  %47 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 24), align 8
  br label %48

48:
  %49 = cmpxchg ptr %47, i32 0, i32 1 acquire monotonic, align 4
  %50 = extractvalue { i32, i1 } %49, 1
  br i1 %50, label %51, label %48

51:
  %52 = getelementptr inbounds nuw i8, ptr %47, i64 4
  %53 = load i32, ptr %52, align 4
  %54 = add i32 %53, -1
  store i32 %54, ptr %52, align 4
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %62

56:
  %57 = getelementptr inbounds nuw i8, ptr %47, i64 8
  %58 = load i32, ptr %57, align 4
  %59 = icmp eq i32 %58, 0
  br i1 %59, label %62, label %60

60:
  store i32 0, ptr %57, align 4
  %61 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @anytile_library, i64 16), align 8
  tail call void %61(i32 noundef %58)
  br label %62

62:
  store atomic i32 0, ptr %47 release, align 4
  br label %63

63:
  ret void
}

