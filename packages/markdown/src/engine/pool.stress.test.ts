import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { Pool, PoolError } from './pool.ts'

/** A worker whose jobs are instructions. */
const SCRIPT = `
import { parentPort } from 'node:worker_threads'
parentPort.on('message', (job) => {
  if (job === 'fail') return parentPort.postMessage({ error: new TypeError('failed') })
  if (job === 'crash') throw new RangeError('crashed')
  if (job === 'exit') process.exit(3)
  if (job === 'hang') for (;;);
  if (job === 'backtrack') return /^(a+)+$/.test('a'.repeat(60) + 'b')
  if (job === 'wait') return setTimeout(() => parentPort.postMessage({ value: job }), 1500)
  if (job === 'eat') for (const eaten = []; ; ) eaten.push(new Array(1e6).fill(Math.random()))
  parentPort.postMessage({ value: job })
})
parentPort.postMessage({ ready: true })
`

function start(source = SCRIPT, size = 1) {
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  return new Pool({ script, size, idleMs: 60_000, maxQueue: 10, owner: () => owners.getStore() ?? '' })
}

const failsBy = (reason: string) => (error: unknown) => error instanceof PoolError && error.reason === reason

test('more jobs than workers are processed in order', async () => {
  await using pool = start(SCRIPT, 2)
  const jobs = [1, 2, 3, 4, 5, 6]
  assert.deepEqual(await Promise.all(jobs.map((job) => pool.run(job, 5000))), jobs)
})

test('an error of a job rejects its promise, and the worker continues', async () => {
  await using pool = start()
  await assert.rejects(pool.run('fail', 5000), { name: 'TypeError', message: 'failed' })
  assert.equal(await pool.run(1, 5000), 1)
})

test('a worker that crashes, exits, hangs or exhausts its memory fails only its own job', async () => {
  await using pool = start()
  const results = [
    assert.rejects(pool.run('crash', 5000), { name: 'RangeError', message: 'crashed' }),
    assert.rejects(pool.run('exit', 5000), /ended with code 3/),
    assert.rejects(pool.run('hang', 50), failsBy('cpu')),
    assert.rejects(pool.run('backtrack', 50), failsBy('cpu')),
    assert.rejects(pool.run('eat', 60_000), failsBy('memory')),
  ]
  assert.equal(await pool.run('next', 5000), 'next')
  await Promise.all(results)
})

test('a worker that cannot start fails its job', async () => {
  await using pool = start('throw new SyntaxError("no such worker")')
  await assert.rejects(pool.run(1, 5000), /no such worker/)
  await assert.rejects(pool.run(2, 5000), /no such worker/)
})

test('the limit is processor time: a waiting job uses none, and the jobs after it have their full limit', async () => {
  await using pool = start()
  const waiting = pool.run('wait', 200)
  assert.equal(await pool.run('next', 200), 'next')
  assert.equal(await waiting, 'wait')
})

const owners = new AsyncLocalStorage<string>()

/** Runs `work` as that of an owner. */
function as<T>(owner: string, work: () => T): T {
  return owners.run(owner, work)
}

test('a principal with many expensive jobs holds up no other one, who has the next turn', async () => {
  for (const size of [1, 2]) {
    await using pool = start(SCRIPT, size)
    const ended: string[] = []
    const run = (owner: string, job: string) => as(owner, () => pool.run(job, 5000)).then(() => ended.push(owner))
    const jobs = Array.from({ length: 4 }, () => run('ann', 'wait'))
    jobs.push(run('ben', 'quick'))
    await Promise.all(jobs)
    assert.equal(ended.indexOf('ben'), size === 1 ? 2 : 0)
    assert.deepEqual(pool.jobs(), { running: 0, queued: 0 })
  }
})

test('a job that another principal waits for, too, runs in the first turn of either', async () => {
  await using pool = start(SCRIPT, 1)
  const ended: string[] = []
  const shared = {}
  const jobs = ['wait', 'wait', 'wait'].map((job) => as('ann', () => pool.run(job, 5000).then(() => ended.push(job))))
  jobs.push(as('ann', () => pool.run('page', 5000, shared).then(() => ended.push('page'))))
  as('ann', () => pool.join(shared))
  as('ben', () => pool.join(shared))
  as('ben', () => pool.join(shared))
  jobs.push(as('ben', () => pool.run('other', 5000)).then(() => ended.push('other')))
  await Promise.all(jobs)
  assert.deepEqual(ended.slice(0, 4), ['wait', 'wait', 'page', 'wait'])
  as('cleo', () => pool.join(shared))
  assert.deepEqual(pool.jobs(), { running: 0, queued: 0 })
})

test('what a job that was lost leaves behind is nothing', async () => {
  await using pool = start(SCRIPT, 2)
  for (const job of ['crash', 'exit', 'fail']) await assert.rejects(as('ann', () => pool.run(job, 5000)))
  assert.deepEqual(await Promise.all([1, 2, 3].map((job) => as('ann', () => pool.run(job, 5000)))), [1, 2, 3])
})
