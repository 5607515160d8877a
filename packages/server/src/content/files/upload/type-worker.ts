import { parentPort } from 'node:worker_threads'
import type { WorkerMessage } from '@recto/markdown/engine/pool.ts'
import { detectType } from './content-type.ts'

/** Parses the type and size of images in a worker: hostile bytes block only the worker. */
const send = (answer: WorkerMessage) => parentPort?.postMessage(answer)

parentPort?.on('message', async (head: Uint8Array) => {
  try {
    send({ value: await detectType(Buffer.from(head.buffer, head.byteOffset, head.length)) })
  } catch (error) {
    send({ error })
  }
})
send({ ready: true })
