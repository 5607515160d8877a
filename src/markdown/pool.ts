import { type ResourceLimits, Worker } from 'node:worker_threads'

export interface PoolOptions {
  readonly script: URL
  readonly size: number
  /** How long a worker without work stays. */
  readonly idleMs: number
  readonly maxQueue: number
  /** What a worker may take, where it is other than for one body. */
  readonly resources?: ResourceLimits
}

/** A job did not end as it should: too many wait, or it took too much processor time or memory. */
export class PoolError extends Error {
  readonly reason: 'busy' | 'cpu' | 'memory'

  constructor(reason: PoolError['reason']) {
    super(`the pool refused a job: ${reason}`)
    this.name = 'PoolRefusal'
    this.reason = reason
  }
}

export interface Pool {
  /**
   * Runs one job in a worker, for so much of its processor time at most: how long that takes depends on what else the
   * machine does. Rejects with a PoolRefusal, or with what the job threw.
   */
  run(job: unknown, cpuMs: number): Promise<unknown>
  /** How many jobs run, and how many wait for a worker. */
  jobs(): { readonly running: number; readonly queued: number }
  [Symbol.asyncDispose](): Promise<void>
}

/** What a worker sends: once when it is ready, then one answer a job. */
export type WorkerMessage =
  | { readonly ready: true }
  | { readonly value: unknown }
  | { readonly error: unknown }

interface Task {
  readonly job: unknown
  readonly cpuMs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Slot {
  readonly worker: Worker
  task: Task | undefined
  ready: boolean
  timer: NodeJS.Timeout | undefined
}

/** Processor time in which a worker has to start. */
const BOOT_CPU_MS = 15_000
/** How often a worker is asked how much processor time it has used. */
const LOOK_MS = 100
/** A worker that needs more than this ends, and only its job with it. */
const RESOURCES = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Workers that are started when there is work and end when there is none; one job at a time each. */
export function startPool(options: PoolOptions): Pool {
  const slots = new Set<Slot>()
  const queue: Task[] = []
  let closed = false

  function dispatch(): void {
    while (queue.length > 0) {
      const slot = [...slots].find(({ task }) => task === undefined) ?? (slots.size < options.size && spawn())
      if (!slot) return
      const task = queue.shift()
      if (task) assign(slot, task)
    }
  }

  function spawn(): Slot {
    const worker = new Worker(options.script, {
      name: 'markdown',
      execArgv: [],
      resourceLimits: { ...RESOURCES, ...options.resources },
    })
    const slot: Slot = { worker, task: undefined, ready: false, timer: undefined }
    slots.add(slot)
    worker.on('message', (answer: WorkerMessage) => receive(slot, answer))
    worker.on('error', (error) => lose(slot, isOutOfMemory(error) ? new PoolError('memory') : error))
    worker.on('exit', (code) => lose(slot, new Error(`a worker ended with code ${code}`)))
    return slot
  }

  function assign(slot: Slot, task: Task): void {
    clearTimeout(slot.timer)
    slot.task = task
    slot.worker.ref()
    watch(slot, task, slot.ready ? task.cpuMs : BOOT_CPU_MS)
    if (slot.ready) slot.worker.postMessage(task.job)
  }

  /** Ends the job once the worker has used so much processor time since the first look. The clock decides nothing. */
  function watch(slot: Slot, task: Task, cpuMs: number, first?: number): void {
    const { ready } = slot
    slot.timer = setTimeout(async () => {
      const used = await cpuMsOf(slot.worker)
      if (slot.task !== task || slot.ready !== ready) return
      if (used !== undefined && first !== undefined && used - first > cpuMs) expire(slot)
      else watch(slot, task, cpuMs, first ?? used)
    }, LOOK_MS)
  }

  function receive(slot: Slot, answer: WorkerMessage): void {
    const { task } = slot
    if ('ready' in answer) {
      slot.ready = true
      if (task) assign(slot, task)
      return
    }
    clearTimeout(slot.timer)
    slot.task = undefined
    if ('value' in answer) task?.resolve(answer.value)
    else task?.reject(answer.error)
    dispatch()
    if (slot.task !== undefined) return
    slot.worker.unref()
    slot.timer = setTimeout(() => end(slot), options.idleMs).unref()
  }

  function expire(slot: Slot): void {
    lose(slot, new PoolError('cpu'))
    void slot.worker.terminate()
  }

  /** The slot is gone: its job fails, and the next one gets a worker of its own. */
  function lose(slot: Slot, error: unknown): void {
    if (!slots.delete(slot)) return
    clearTimeout(slot.timer)
    slot.task?.reject(error)
    if (!closed) dispatch()
  }

  function end(slot: Slot): Promise<number> {
    slots.delete(slot)
    clearTimeout(slot.timer)
    return slot.worker.terminate()
  }

  return {
    run(job, cpuMs) {
      if (closed) return Promise.reject(new Error('the pool is closed'))
      if (queue.length >= options.maxQueue) return Promise.reject(new PoolError('busy'))
      return new Promise((resolve, reject) => {
        queue.push({ job, cpuMs, resolve, reject })
        dispatch()
      })
    },
    jobs: () => ({
      running: [...slots].filter(({ task }) => task !== undefined).length,
      queued: queue.length,
    }),
    async [Symbol.asyncDispose]() {
      closed = true
      const error = new Error('the pool is closed')
      for (const task of queue.splice(0)) task.reject(error)
      await Promise.all(
        [...slots].map((slot) => {
          slot.task?.reject(error)
          return end(slot)
        }),
      )
    },
  }
}

/** Undefined while the worker does not run yet, or any more. */
async function cpuMsOf(worker: Worker): Promise<number | undefined> {
  const usage = await worker.cpuUsage().catch(() => undefined) // its end is heard of by its events
  return usage && (usage.user + usage.system) / 1000
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
