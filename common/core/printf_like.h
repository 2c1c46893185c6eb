/* SPDX-License-Identifier: MIT */
/* printf_like.h - let the compiler check the arguments of our own printf-like functions.
 *
 * GCC for Windows takes plain "printf" for Microsoft's old dialect, which has no %zu; all of
 * hvlog uses the C11 dialect (__USE_MINGW_ANSI_STDIO), for which only GCC has the name
 * gnu_printf.
 */
#ifndef HVLOG_CORE_PRINTF_LIKE_H
#define HVLOG_CORE_PRINTF_LIKE_H

#ifdef __clang__
#define PRINTF_LIKE(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define PRINTF_LIKE(format_at, first_at) \
    __attribute__((format(gnu_printf, format_at, first_at)))
#endif

#endif
