/** Processes items concurrently. After an error no further item starts; it is thrown when the running ones are done. */
export async function inParallel<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const errors: unknown[] = []
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      await work(next.value).catch((error: unknown) => errors.push(error))
      if (errors.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (errors.length > 0) throw errors[0]
}
