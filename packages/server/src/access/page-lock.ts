import { retryLater } from '@recto/contract/errors.ts'
import { type KeyedQueue, QueueFull } from '@recto/lib/concurrency/keyed-queue.ts'
import { currentRequest } from '../platform/database/connections/request-scope.ts'

/** A mutex for the writers of a page within this process; throws `page_busy` when too many wait already. */
export async function withPageLock<T>(writers: KeyedQueue, key: string, work: () => Promise<T>): Promise<T> {
  try {
    const began = performance.now()
    return await writers.run(key, () => {
      currentRequest()?.waited(began)
      return work()
    })
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    throw retryLater('page_busy', 'Too many writers wait for this page. Try again shortly.', 1)
  }
}
