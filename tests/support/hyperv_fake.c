/* SPDX-License-Identifier: MIT */
/* hyperv_fake.c - overlapped operations that the stand-in ends itself. */
#include "tests/support/hyperv_private.h"

static SRWLOCK lock = SRWLOCK_INIT;

bool hyperv_fake_is(const struct fake *f, const OVERLAPPED *o)
{
    AcquireSRWLockShared(&lock);
    bool is_it = o != NULL && f->o == o;
    ReleaseSRWLockShared(&lock);
    return is_it;
}

void hyperv_fake_end(struct fake *f, int code, DWORD length)
{
    AcquireSRWLockExclusive(&lock);
    if (f->o != NULL && !f->has_ended) {
        f->has_ended = true;
        f->code = code;
        f->length = length;
        SetEvent(f->o->hEvent);
    }
    ReleaseSRWLockExclusive(&lock);
}

int hyperv_fake_begin(struct fake *f, OVERLAPPED *o)
{
    AcquireSRWLockExclusive(&lock);
    *f = (struct fake){.o = o};
    ResetEvent(o->hEvent);
    ReleaseSRWLockExclusive(&lock);
    WSASetLastError(WSA_IO_PENDING);
    return SOCKET_ERROR;
}

BOOL hyperv_fake_result(struct fake *f, DWORD *ret_length, BOOL wait)
{
    WaitForSingleObject(f->o->hEvent, wait ? INFINITE : 0);
    AcquireSRWLockExclusive(&lock);
    struct fake ended = *f;
    if (ended.has_ended)
        f->o = NULL;
    ReleaseSRWLockExclusive(&lock);
    *ret_length = ended.length;
    WSASetLastError(ended.has_ended ? ended.code : WSA_IO_INCOMPLETE);
    return ended.has_ended && ended.code == 0;
}
