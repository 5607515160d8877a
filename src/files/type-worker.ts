import { parentPort } from 'node:worker_threads'
import type { WorkerMessage } from '../markdown/pool.ts'
import { detectType } from './content-type.ts'

/** The type and size of images are parsed here, beside the requests: hostile bytes cost the worker's time only. */
const send = (answer: WorkerMessage) => parentPort?.postMessage(answer)

parentPort?.on('message', async (head: Uint8Array) => {
  try {
    send({ value: await detectType(Buffer.from(head.buffer, head.byteOffset, head.length)) })
  } catch (error) {
    send({ error })
  }
})
send({ ready: true })
