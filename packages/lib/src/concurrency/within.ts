/** The result of `work`, or an error after a timeout. A later result is ignored. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), ms)
  work.catch(() => {}) // a late rejection must not be unhandled
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
