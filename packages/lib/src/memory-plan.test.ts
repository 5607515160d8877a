import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planMemory } from './memory-plan.ts'

const MEGABYTE = 1024 * 1024

test('from 1.2 GB on all values are at their maximum, except shared_buffers, which grow to 1 GB', () => {
  const ample = {
    workers: 2,
    workerHeapMb: 512,
    workerYoungMb: 32,
    workerIdleMs: 30_000,
    cacheBytes: 48 * MEGABYTE,
    bodyBytes: 16 * MEGABYTE,
    imageBytes: 768 * MEGABYTE,
    sharedBuffersMb: 128,
    workMemMb: 16,
    maintenanceMb: 64,
    connections: Number.POSITIVE_INFINITY,
  }
  assert.deepEqual(planMemory(1216 * MEGABYTE, 1024 * MEGABYTE), ample)
  const planOf = (gigabytes: number) => planMemory(gigabytes * 1024 * MEGABYTE, 4096 * MEGABYTE)
  assert.deepEqual(planOf(2), ample)
  assert.deepEqual(planOf(8), { ...ample, sharedBuffersMb: 512 })
  assert.deepEqual(planOf(64), { ...ample, sharedBuffersMb: 1024 })
})

test('with 256 MB there is one worker, and two large bodies are admitted at a time', () => {
  assert.deepEqual(planMemory(256 * MEGABYTE, 256 * MEGABYTE), {
    workers: 1,
    workerHeapMb: 64,
    workerYoungMb: 4,
    workerIdleMs: 2_000,
    cacheBytes: 4 * MEGABYTE,
    bodyBytes: 2 * MEGABYTE,
    imageBytes: 160 * MEGABYTE,
    sharedBuffersMb: 16,
    workMemMb: 4,
    maintenanceMb: 16,
    connections: 4,
  })
})

test('a small heap limit reduces the caches on the heap', () => {
  const { cacheBytes, bodyBytes, workers } = planMemory(8 * 1024 * MEGABYTE, 128 * MEGABYTE)
  assert.deepEqual([cacheBytes, bodyBytes, workers], [16 * MEGABYTE, 8 * MEGABYTE, 2])
})

test('with any amount of memory a large page can be parsed and the database starts', () => {
  const { workerHeapMb, sharedBuffersMb } = planMemory(64 * MEGABYTE, 64 * MEGABYTE)
  assert.deepEqual([workerHeapMb, sharedBuffersMb], [64, 16])
})
