import { type ResourceLimits, Worker } from 'node:worker_threads'
import { FairQueue } from '@recto/lib/concurrency/fair-queue.ts'

export interface PoolOptions {
  readonly script: URL
  readonly size: number
  /** How long an idle worker is kept. */
  readonly idleMs: number
  readonly maxQueue: number
  /** Whose work the current call is: owners are served in turn. */
  readonly owner?: (() => string) | undefined
  /** Resource limits of a worker, if different from those of one body. */
  readonly resources?: ResourceLimits
}

/** A job that was not completed: the queue is full, or it took too much CPU time or memory. */
export class PoolError extends Error {
  readonly reason: 'busy' | 'cpu' | 'memory'

  constructor(reason: PoolError['reason']) {
    super(`the worker pool rejected a job: ${reason}`)
    this.name = 'PoolError'
    this.reason = reason
  }
}

/** Messages of a worker: one when it is ready, then one response for each job. */
export type WorkerMessage = { readonly ready: true } | { readonly value: unknown } | { readonly error: unknown }

/** A job with a result for several principals: it waits in the queue of each of them. */
export interface SharedJob {
  waiting?: Task | undefined
}

interface Task {
  /** Who waits for it. */
  readonly owners: Set<string>
  /** In whose turn it runs. */
  owner: string | undefined
  readonly shared: SharedJob
  readonly job: unknown
  readonly cpuMs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A task in the queue of an owner. */
interface Entry {
  readonly owner: string
  readonly task: Task
}

interface Slot {
  readonly worker: Worker
  task: Task | undefined
  ready: boolean
  timer: NodeJS.Timeout | undefined
}

/** CPU time in which a worker has to start. */
const BOOT_CPU_MS = 15_000
/** How often the CPU time of a worker is sampled. */
const LOOK_MS = 100
/** Exceeding this ends the worker and its job only. */
const RESOURCES = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/**
 * A worker pool: workers start on demand, run one job at a time, and end when idle. Principals are served in turn, and
 * none has all workers: nobody waits for the expensive pages of somebody else.
 */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #owner: () => string
  readonly #slots = new Set<Slot>()
  readonly #queue: FairQueue<Entry>
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#owner = options.owner ?? (() => '')
    const { size } = options
    this.#queue = new FairQueue({ total: size, perKey: Math.max(1, size - 1) })
  }

  /** Runs a job in a worker, limited by processor time. Rejects with a PoolError, or with the error of the job. */
  run(job: unknown, cpuMs: number, sharedJob: SharedJob = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('the pool is closed'))
    const owner = this.#owner()
    if (this.#queue.countQueued(owner) >= this.#options.maxQueue) return Promise.reject(new PoolError('busy'))
    return new Promise((resolve, reject) => {
      const task: Task = { owners: new Set(), owner: undefined, shared: sharedJob, job, cpuMs, resolve, reject }
      sharedJob.waiting = task
      this.#enqueue(owner, task)
      this.#dispatch()
    })
  }

  /** Queues a job that waits for its turn for the current principal, too. */
  join({ waiting }: SharedJob): void {
    const owner = this.#owner()
    if (!waiting || waiting.owners.has(owner)) return
    if (this.#queue.countQueued(owner) < this.#options.maxQueue) this.#enqueue(owner, waiting)
    this.#dispatch()
  }

  jobs(): { readonly running: number; readonly queued: number } {
    const running = [...this.#slots].filter(({ task }) => task !== undefined).length
    return { running, queued: this.#queue.queued }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const error = new Error('the pool is closed')
    for (const { task } of this.#queue.drain()) task.reject(error)
    await Promise.all(
      [...this.#slots].map((slot) => {
        slot.task?.reject(error)
        return this.#end(slot)
      }),
    )
  }

  #dispatch(): void {
    for (let entry = this.#queue.startNext(); entry; entry = this.#queue.startNext()) {
      const { owner, task } = entry
      // It has run in the turn of somebody else.
      if (task.owner !== undefined) {
        this.#queue.finish(owner)
        continue
      }
      task.owner = owner
      task.shared.waiting = undefined
      this.#assign(this.#freeSlot(), task)
    }
  }

  #enqueue(owner: string, task: Task): void {
    task.owners.add(owner)
    this.#queue.add(owner, { owner, task })
  }

  /** One that runs no job: the queue starts at most as many jobs as there may be workers. */
  #freeSlot(): Slot {
    return [...this.#slots].find(({ task }) => task === undefined) ?? this.#spawn()
  }

  #spawn(): Slot {
    const worker = new Worker(this.#options.script, {
      name: 'markdown',
      execArgv: [],
      resourceLimits: { ...RESOURCES, ...this.#options.resources },
    })
    const slot: Slot = { worker, task: undefined, ready: false, timer: undefined }
    this.#slots.add(slot)
    worker.on('message', (answer: WorkerMessage) => this.#receive(slot, answer))
    worker.on('error', (error) => this.#lose(slot, isOutOfMemory(error) ? new PoolError('memory') : error))
    worker.on('exit', (code) => this.#lose(slot, new Error(`a worker ended with code ${code}`)))
    return slot
  }

  #assign(slot: Slot, task: Task): void {
    clearTimeout(slot.timer)
    slot.task = task
    slot.worker.ref()
    this.#watch(slot, task, slot.ready ? task.cpuMs : BOOT_CPU_MS)
    if (slot.ready) slot.worker.postMessage(task.job)
  }

  /** Ends the job when the worker has used `cpuMs` of CPU time since the first sample, whatever time has elapsed. */
  #watch(slot: Slot, task: Task, cpuMs: number, first?: number): void {
    const { ready } = slot
    slot.timer = setTimeout(async () => {
      const usedMs = await readCpuTime(slot.worker)
      if (slot.task !== task || slot.ready !== ready) return
      if (usedMs !== undefined && first !== undefined && usedMs - first > cpuMs) this.#expire(slot)
      else this.#watch(slot, task, cpuMs, first ?? usedMs)
    }, LOOK_MS)
  }

  #receive(slot: Slot, answer: WorkerMessage): void {
    const { task } = slot
    if ('ready' in answer) {
      slot.ready = true
      if (task) this.#assign(slot, task)
      return
    }
    clearTimeout(slot.timer)
    slot.task = undefined
    if (task) this.#finish(task)
    if ('value' in answer) task?.resolve(answer.value)
    else task?.reject(answer.error)
    this.#dispatch()
    if (slot.task !== undefined) return
    slot.worker.unref()
    slot.timer = setTimeout(() => this.#end(slot), this.#options.idleMs).unref()
  }

  #expire(slot: Slot): void {
    this.#lose(slot, new PoolError('cpu'))
    void slot.worker.terminate()
  }

  /** The worker of a slot has ended: its job fails, and the next one gets a new worker. */
  #lose(slot: Slot, error: unknown): void {
    if (!this.#slots.delete(slot)) return
    clearTimeout(slot.timer)
    if (slot.task) this.#finish(slot.task)
    slot.task?.reject(error)
    if (!this.#closed) this.#dispatch()
  }

  #finish({ owner }: Task): void {
    if (owner !== undefined) this.#queue.finish(owner)
  }

  #end(slot: Slot): Promise<number> {
    this.#slots.delete(slot)
    clearTimeout(slot.timer)
    return slot.worker.terminate()
  }
}

/** Undefined if the worker is not running. */
async function readCpuTime(worker: Worker): Promise<number | undefined> {
  const usage = await worker.cpuUsage().catch(() => undefined) // its end is reported by events
  return usage && (usage.user + usage.system) / 1000
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
