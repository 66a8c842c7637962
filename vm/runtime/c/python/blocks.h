/* Blocks of a pool that Python owns: capsules, made and ended by native code.

   A signal may raise an exception between any two bytecodes of Python, a finalizer's too. So a block changes hands
   within one native call, with the GIL held: before it the pair of words that holds its address and size is the owner
   (of a storage's cell, of a machine's result), after it the pair is empty and a capsule is. When the capsule goes, in
   whatever thread, the block is pushed on a list that the pool takes in when it is next used. Nobody is left out,
   nobody is twice. */
#pragma once
#include "../../../../dispatch/cpu/cpython.h"
#include "../pool.h"

/* The destructor of a capsule. */
static void give_up(object *capsule) {
  struct dropped *block = PyCapsule_GetPointer(capsule, 0);
  object *owner = block->owner;
  struct dropped **first = &block->pool->returned;
  block->next = __atomic_load_n(first, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(first, &block->next, block, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  Py_DecRef(owner);
}

/* A capsule that owns a block and keeps the pool; null where there is no memory, as Python's error says. */
static object *owned(object *owner, struct pool *pool, struct pair pair) {
  struct dropped *block = malloc(sizeof(*block));
  if (!block)
    return PyErr_NoMemory();
  *block = (struct dropped){0, pair.address, pair.bytes, pool, owner};
  object *capsule = PyCapsule_New(block, 0, give_up);
  if (!capsule) {
    free(block);
    return 0;
  }
  Py_IncRef(owner);
  return capsule;
}
