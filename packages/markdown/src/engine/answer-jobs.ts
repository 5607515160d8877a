import { parentPort } from 'node:worker_threads'
import type { WorkerMessage } from './pool.ts'

/** The loop of a worker of a pool: tells that it is ready, and answers each job. */
export function answerJobs<Job>(resultOf: (job: Job) => unknown): void {
  const send = (answer: WorkerMessage) => parentPort?.postMessage(answer)
  parentPort?.on('message', async (job: Job) => {
    try {
      send({ value: await resultOf(job) })
    } catch (error) {
      send({ error })
    }
  })
  send({ ready: true })
}
