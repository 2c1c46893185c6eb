# SPDX-License-Identifier: MIT
# Everything that is said once about how hvlog's targets are compiled and linked.

# The programs lie together; tests and packages take them from there.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

add_library(hvlog_flags INTERFACE)
target_compile_features(hvlog_flags INTERFACE c_std_11)
target_include_directories(hvlog_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(hvlog_flags INTERFACE
  HVLOG_VERSION="${PROJECT_VERSION}"
  $<$<PLATFORM_ID:Linux>:_GNU_SOURCE>
  $<$<PLATFORM_ID:Windows>:_WIN32_WINNT=0x0A00>
  $<$<PLATFORM_ID:Windows>:__USE_MINGW_ANSI_STDIO=1>)
target_compile_options(hvlog_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wcast-qual -Wformat=2 -Wundef -Wimplicit-fallthrough -Wvla
  $<$<BOOL:${HVLOG_DEVELOPER}>:-Werror>)
target_link_libraries(hvlog_flags INTERFACE hvlog_hardening)

# What a release gets on top: each is refused by the compiler or costs debugging in the others.
add_library(hvlog_hardening INTERFACE)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$" AND NOT HVLOG_SANITIZE)
  target_compile_options(hvlog_hardening INTERFACE -fstack-protector-strong)
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    # There the stack protector comes from a library, which only this option links.
    target_link_options(hvlog_hardening INTERFACE -fstack-protector-strong
      -Wl,--dynamicbase -Wl,--nxcompat -Wl,--high-entropy-va)
  else()
    target_compile_definitions(hvlog_hardening INTERFACE _FORTIFY_SOURCE=2)
    target_link_options(hvlog_hardening INTERFACE -Wl,-z,relro -Wl,-z,now)
  endif()
endif()

if(HVLOG_SANITIZE)
  target_compile_options(hvlog_flags INTERFACE
    -fsanitize=${HVLOG_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(hvlog_flags INTERFACE -fsanitize=${HVLOG_SANITIZE})
endif()

# Fuzz targets need libFuzzer's coverage in the code they look into; its main comes with the target.
if(HVLOG_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HVLOG_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  set(hvlog_fuzz_options -fsanitize=fuzzer-no-link,address,undefined)
  target_compile_options(hvlog_flags INTERFACE
    ${hvlog_fuzz_options} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(hvlog_flags INTERFACE ${hvlog_fuzz_options})
endif()

# hvlog_library(NAME source...) - a static library of the product.
function(hvlog_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC hvlog_flags)
endfunction()

# hvlog_program(NAME source...) - a program of the product; on Windows one file that needs no DLL
# beside the system's own (winpthreads and libgcc are linked in).
function(hvlog_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hvlog_bridge)
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    target_link_options(${name} PRIVATE -static)
  endif()
endfunction()
