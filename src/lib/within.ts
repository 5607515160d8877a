/** The result of `work`, unless it takes longer: then an error. Whatever comes later is not heard any more. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), ms)
  work.catch(() => {}) // who is late may fail as well
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
