# SPDX-License-Identifier: MIT
# How hvlog's tests are declared. Each test says in which kinds of build it runs (KINDS); a build is
# of exactly one kind, so that the merged run of tests/run.sh needs no list of tests.

# The kind of this build, and the prefix that tells its tests apart in the merged run.
if(HVLOG_FUZZ)
  set(HVLOG_BUILD_KIND fuzz)
elseif(HVLOG_PLATFORM STREQUAL "windows")
  set(HVLOG_BUILD_KIND windows)
elseif(HVLOG_SANITIZE MATCHES "thread")
  set(HVLOG_BUILD_KIND tsan)
elseif(HVLOG_SANITIZE)
  set(HVLOG_BUILD_KIND asan)
else()
  set(HVLOG_BUILD_KIND plain)
endif()
set(HVLOG_TEST_PREFIX "${HVLOG_BUILD_KIND}.")
if(HVLOG_BUILD_KIND STREQUAL "plain")
  set(HVLOG_TEST_PREFIX "")
endif()

set(HVLOG_TEST_TIMEOUT_S 60 CACHE STRING "Limit of a test that names none, in seconds")
set(HVLOG_FUZZ_SECONDS 60 CACHE STRING "How long ctest runs each fuzz target")

# Wine sees the unix file system as drive Z:, and only so.
set(HVLOG_TEST_DIR "${PROJECT_SOURCE_DIR}/tests")
if(HVLOG_BUILD_KIND STREQUAL "windows" AND CMAKE_HOST_UNIX)
  set(HVLOG_TEST_DIR "Z:${HVLOG_TEST_DIR}")
endif()

# The sanitizers of GCC 12 and clang 14 lay out memory for kernels that randomize 28 bits of addresses;
# newer ones take 32, and then a program fails to start now and then. So no randomization, where a
# container does not forbid to ask for that.
set(HVLOG_TEST_LAUNCHER "")
if(HVLOG_BUILD_KIND MATCHES "^(asan|tsan|fuzz)$")
  execute_process(COMMAND setarch -R true RESULT_VARIABLE hvlog_setarch ERROR_QUIET)
  if(hvlog_setarch EQUAL 0)
    set(HVLOG_TEST_LAUNCHER setarch -R)
  endif()
endif()

# cmocka: the system's own, or for Windows the one that tests/support/cmocka-windows builds.
if(HVLOG_BUILD_KIND STREQUAL "windows")
  set(HVLOG_CMOCKA "${PROJECT_SOURCE_DIR}/build/deps/cmocka-windows" CACHE PATH
      "Where cmocka for Windows is installed")
  find_path(HVLOG_CMOCKA_INCLUDE cmocka.h PATHS "${HVLOG_CMOCKA}/include" NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  find_library(HVLOG_CMOCKA_LIBRARY NAMES cmocka-static cmocka PATHS "${HVLOG_CMOCKA}/lib"
               NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  set(hvlog_cmocka_hint "run tests/support/cmocka-windows first")
else()
  find_path(HVLOG_CMOCKA_INCLUDE cmocka.h)
  find_library(HVLOG_CMOCKA_LIBRARY cmocka)
  set(hvlog_cmocka_hint "install libcmocka-dev")
endif()
if(NOT HVLOG_BUILD_KIND STREQUAL "fuzz" AND NOT (HVLOG_CMOCKA_INCLUDE AND HVLOG_CMOCKA_LIBRARY))
  message(FATAL_ERROR "cmocka is missing: ${hvlog_cmocka_hint}, or configure with -DHVLOG_TESTS=OFF")
endif()
add_library(hvlog_cmocka INTERFACE)
target_include_directories(hvlog_cmocka SYSTEM INTERFACE "${HVLOG_CMOCKA_INCLUDE}")
target_link_libraries(hvlog_cmocka INTERFACE "${HVLOG_CMOCKA_LIBRARY}")

# A Windows program needs a Wine prefix of its own; making it takes some ten seconds, once. Wine is
# kept from writing menus into the user's home, and from fetching Mono and Gecko.
if(HVLOG_BUILD_KIND STREQUAL "windows")
  set(HVLOG_WINE_ENVIRONMENT "WINEPREFIX=${PROJECT_BINARY_DIR}/wine" "WINEDEBUG=-all"
    "WINEDLLOVERRIDES=winemenubuilder.exe,mscoree,mshtml=")
  add_test(NAME ${HVLOG_TEST_PREFIX}wine-prefix
    COMMAND "${PROJECT_SOURCE_DIR}/tests/support/wine-prefix" "${HVLOG_WINE}")
  set_tests_properties(${HVLOG_TEST_PREFIX}wine-prefix PROPERTIES
    FIXTURES_SETUP wine LABELS unit TIMEOUT 180 SKIP_RETURN_CODE 77
    ENVIRONMENT "${HVLOG_WINE_ENVIRONMENT}")
endif()

# hvlog_test_environment(NAME) - what every registered test gets.
function(hvlog_test_environment name)
  set(environment ${ARGN})
  if(HVLOG_BUILD_KIND STREQUAL "windows")
    list(APPEND environment ${HVLOG_WINE_ENVIRONMENT})
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED wine)
  elseif(HVLOG_BUILD_KIND STREQUAL "tsan")
    list(APPEND environment "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
  elseif(HVLOG_BUILD_KIND MATCHES "^(asan|fuzz)$")
    list(APPEND environment "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
      "UBSAN_OPTIONS=print_stacktrace=1")
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
endfunction()

# hvlog_add_test(NAME TARGET argument...) - a built program as a test. Only as the first word of its
# command a target runs under Wine by itself.
function(hvlog_add_test name target)
  if(HVLOG_TEST_LAUNCHER)
    add_test(NAME ${name} COMMAND ${HVLOG_TEST_LAUNCHER} $<TARGET_FILE:${target}> ${ARGN})
  else()
    add_test(NAME ${name} COMMAND ${target} ${ARGN})
  endif()
endfunction()

# hvlog_unit_test(NAME source... [LINK library...] [KINDS kind...] [TIMEOUT seconds] [LABEL label]
#                 [RUNNER program])
#
# A cmocka program `test_NAME` on hvlog_core and the libraries of LINK. KINDS is out of plain, asan,
# tsan, windows and defaults to all but tsan: name tsan for code with threads, leave out windows
# for what is Linux only. HVLOG_TEST_DIR is defined as the path of tests/. LABEL is unit unless it is
# named. RUNNER is given the program to run: a path below tests/. Exit status 77 means skipped.
function(hvlog_unit_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;LABEL;RUNNER" "LINK;KINDS" ${ARGN})
  if(NOT arg_KINDS)
    set(arg_KINDS plain asan windows)
  endif()
  if(NOT HVLOG_BUILD_KIND IN_LIST arg_KINDS)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${HVLOG_TEST_TIMEOUT_S})
  endif()
  add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(test_${name} PRIVATE ${arg_LINK} hvlog_core hvlog_cmocka)
  target_compile_definitions(test_${name} PRIVATE HVLOG_TEST_DIR="${HVLOG_TEST_DIR}")
  if(HVLOG_BUILD_KIND STREQUAL "windows")
    target_link_options(test_${name} PRIVATE -static)
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(arg_RUNNER)
    set(HVLOG_TEST_LAUNCHER "${PROJECT_SOURCE_DIR}/tests/${arg_RUNNER}")
  endif()
  hvlog_add_test(${HVLOG_TEST_PREFIX}${name} test_${name})
  set_tests_properties(${HVLOG_TEST_PREFIX}${name} PROPERTIES
    LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  hvlog_test_environment(${HVLOG_TEST_PREFIX}${name} "HVLOG_BUILD=${PROJECT_BINARY_DIR}")
endfunction()

# hvlog_fuzz(NAME source... [LINK library...])
#
# One fuzz target, a file with LLVMFuzzerTestOneInput; its corpus lies in tests/fuzz/corpus/NAME. In
# the fuzz build ctest runs libFuzzer on it for HVLOG_FUZZ_SECONDS; in the others it replays the corpus.
function(hvlog_fuzz name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  if(HVLOG_BUILD_KIND STREQUAL "tsan")
    return()
  endif()
  add_executable(fuzz_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(fuzz_${name} PRIVATE ${arg_LINK} hvlog_core)
  # libFuzzer brings no header that declares its entry point.
  target_compile_options(fuzz_${name} PRIVATE
    -include "${PROJECT_SOURCE_DIR}/tests/support/fuzz_target.h")
  set(test ${HVLOG_TEST_PREFIX}${name}-corpus)
  if(HVLOG_BUILD_KIND STREQUAL "fuzz")
    set(test ${HVLOG_TEST_PREFIX}${name})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    math(EXPR timeout "${HVLOG_FUZZ_SECONDS} + 60")
    add_test(NAME ${test}
      COMMAND ${HVLOG_TEST_LAUNCHER} "${PROJECT_SOURCE_DIR}/tests/support/fuzz-run"
      $<TARGET_FILE:fuzz_${name}> "${corpus}" "${PROJECT_BINARY_DIR}/fuzz/${name}" ${HVLOG_FUZZ_SECONDS})
    set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout})
  else()
    target_sources(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/fuzz_replay.c")
    if(HVLOG_BUILD_KIND STREQUAL "windows")
      target_link_options(fuzz_${name} PRIVATE -static)
    endif()
    hvlog_add_test(${test} fuzz_${name} "${HVLOG_TEST_DIR}/fuzz/corpus/${name}")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${HVLOG_TEST_TIMEOUT_S})
  endif()
  set_tests_properties(${test} PROPERTIES LABELS fuzz)
  hvlog_test_environment(${test})
endfunction()

# hvlog_script_test(NAME script [argument...] [KINDS kind...] [LABELS label...] [TIMEOUT seconds]
#                   [LOCK name] [SERIAL])
#
# A program of any kind, most often a shell script; a relative path is below the caller's folder. Its
# environment has HVLOG_BIN (folder of the programs just built), HVLOG_BUILD (the build tree),
# HVLOG_SOURCE, HVLOG_TEST_DIR and HVLOG_KIND. Exit status 77 means skipped; the script prints why.
# KINDS defaults to plain, LABELS to integration. LOCK: tests of one lock do not run at the same time.
# SERIAL: runs alone.
function(hvlog_script_test name script)
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT;LOCK" "KINDS;LABELS" ${ARGN})
  if(NOT arg_KINDS)
    set(arg_KINDS plain)
  endif()
  if(NOT HVLOG_BUILD_KIND IN_LIST arg_KINDS)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS integration)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${HVLOG_TEST_TIMEOUT_S})
  endif()
  get_filename_component(script "${script}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(test ${HVLOG_TEST_PREFIX}${name})
  add_test(NAME ${test} COMMAND ${HVLOG_TEST_LAUNCHER} "${script}" ${arg_UNPARSED_ARGUMENTS})
  set_tests_properties(${test} PROPERTIES
    LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  if(arg_LOCK)
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK ${arg_LOCK})
  endif()
  if(arg_SERIAL)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
  hvlog_test_environment(${test} "HVLOG_BIN=${PROJECT_BINARY_DIR}/bin"
    "HVLOG_BUILD=${PROJECT_BINARY_DIR}" "HVLOG_SOURCE=${PROJECT_SOURCE_DIR}"
    "HVLOG_TEST_DIR=${PROJECT_SOURCE_DIR}/tests" "HVLOG_KIND=${HVLOG_BUILD_KIND}")
endfunction()
