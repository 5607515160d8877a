import type { FastifyReply } from 'fastify'

/**
 * Calls `release` when the response is closed: at once if it is closed already, because Node emits `close` only once,
 * and
 * a client may leave while a hook waits. The result removes it. Whatever a response holds is released by this.
 */
export function onClosed({ raw }: Pick<FastifyReply, 'raw'>, release: () => void): () => void {
  if (raw.destroyed) release()
  else raw.once('close', release)
  return () => raw.off('close', release)
}

/** Waits for `acquire`, whose signal aborts when the client leaves or after the time limit. */
export async function whileConnected<T>(
  reply: FastifyReply,
  waitMs: number,
  acquire: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abandoned = new AbortController()
  const abandon = () => abandoned.abort()
  const timer = setTimeout(abandon, waitMs)
  const stop = onClosed(reply, abandon)
  try {
    return await acquire(abandoned.signal)
  } finally {
    clearTimeout(timer)
    stop()
  }
}
