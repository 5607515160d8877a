import { parentPort } from 'node:worker_threads'
import { analysePage, renderPage } from './page.ts'
import type { Answer } from './pool.ts'

/** What the engine asks of a worker. */
export interface MarkdownJob {
  readonly kind: 'analyse' | 'render'
  readonly body: string
}

const send = (answer: Answer) => parentPort?.postMessage(answer)

parentPort?.on('message', ({ kind, body }: MarkdownJob) => {
  try {
    send({ value: kind === 'analyse' ? analysePage(body) : renderPage(body) })
  } catch (error) {
    send({ error })
  }
})
send({ ready: true })
