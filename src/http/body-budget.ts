import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { ByteSemaphore } from '../lib/byte-semaphore.ts'
import type { Server } from './server.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a stream, of which little is held at a time. */
    readonly streamsBody?: true
  }
}

/** Smaller bodies are let in at once: many of them fit. */
const LARGE_BYTES = 64 * 1024

/**
 * Admits large request bodies by a budget of bytes until they are answered: the others wait before they are read, for `waitMs` at
 * most, and are then asked to come again. Goes behind the authentication, so that strangers hold no budget.
 */
export function limitLargeBodies(
  app: Server,
  options: { readonly bytes: number; readonly waitMs: number },
): void {
  const semaphore = new ByteSemaphore(options.bytes)
  const answered = new WeakMap<FastifyRequest, () => void>()
  app.addHook('onRequest', async (request, reply) => {
    const { headers, routeOptions } = request
    if (routeOptions.config.streamsBody) return
    const chunked = headers['transfer-encoding'] !== undefined
    const bytes = chunked ? (routeOptions.bodyLimit ?? options.bytes) : Number(headers['content-length'] ?? 0)
    if (!(bytes > LARGE_BYTES)) return
    const left = new AbortController()
    const leave = () => left.abort()
    reply.raw.once('close', leave)
    const timer = setTimeout(leave, options.waitMs)
    try {
      const release = await semaphore.acquire(bytes, left.signal)
      // Who leaves early gains nothing while the work goes on.
      const closed = new Promise((resolve) => reply.raw.once('close', resolve))
      const sent = new Promise<void>((resolve) => answered.set(request, resolve))
      void Promise.all([closed, sent]).then(release)
    } catch (cause) {
      throw new AppError(
        'markdown_busy',
        'Too many large pages are being written at once. Nothing was changed.',
        {
          headers: { 'Retry-After': '2' },
          cause,
        },
      )
    } finally {
      clearTimeout(timer)
      reply.raw.off('close', leave)
    }
  })
  app.addHook('onSend', async (request) => answered.get(request)?.())
}
