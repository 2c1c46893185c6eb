# SPDX-License-Identifier: MIT
# hvlog_wrap_hyperv(TARGET) - links the test program TARGET so that its calls to Winsock come to the
# stand-in for AF_HYPERV (tests/support/hyperv_standin.h). The objects of the product stay as they are:
# they call Winsock through import pointers, and those the linker puts in place of the system's.
include_guard()

set(HVLOG_HYPERV_IMPORTS
  CancelIoEx WSAGetOverlappedResult WSAIoctl WSARecv WSASend WSASocketW accept bind closesocket
  getsockname listen setsockopt shutdown)

function(hvlog_wrap_hyperv target)
  set(support "${PROJECT_SOURCE_DIR}/tests/support")
  target_sources(${target} PRIVATE
    "${support}/hyperv_fake.c" "${support}/hyperv_files.c" "${support}/hyperv_standin.c")
  foreach(import IN LISTS HVLOG_HYPERV_IMPORTS)
    target_link_options(${target} PRIVATE "LINKER:--wrap=__imp_${import}")
  endforeach()
  target_link_libraries(${target} PRIVATE ws2_32 mswsock)
endfunction()
