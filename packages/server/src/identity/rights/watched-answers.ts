import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onClosed } from '../../platform/http/request-scope.ts'
import type { RightsWatch } from './watch.ts'

const watchedSpaces = new WeakMap<FastifyRequest, number>()
const selfWatching = new WeakSet<FastifyRequest>()

/** Sets the space of a response that may take long. */
export function answerIsAbout(request: FastifyRequest, spaceId: number): void {
  watchedSpaces.set(request, spaceId)
}

/** Declares that the response checks the rights of its reader itself. */
export function watchesItself(request: FastifyRequest): void {
  selfWatching.add(request)
}

/** Aborts every streamed response when its reader loses access. */
export function watchStream(watch: RightsWatch) {
  return (request: FastifyRequest, reply: FastifyReply, stream: Readable): void => {
    const { ctx } = request
    if (!ctx || selfWatching.has(request)) return
    const space = watchedSpaces.get(request)
    const stop = watch.add({
      actor: ctx.actor,
      addSpaces(spaces) {
        if (space !== undefined) spaces.add(space)
      },
      seen(rights) {
        if (rights && (space === undefined || rights.visible.has(space))) return
        request.log.info('a streamed response was aborted: its reader lost access')
        stream.destroy(new Error('the reader of the response lost access'))
      },
    })
    onClosed(reply, stop)
  }
}
