import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { onClosed } from '../../platform/http/on-closed.ts'
import type { Server } from '../../platform/http/server.ts'
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

/** Aborts every streamed response when its reader loses access. Register it after the authentication. */
export function watchStreams(app: Server, watch: RightsWatch): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { ctx } = request
    if (!ctx || !(payload instanceof Readable) || selfWatching.has(request)) return done()
    const space = watchedSpaces.get(request)
    const stop = watch.add({
      actor: ctx.actor,
      addSpaces(spaces) {
        if (space !== undefined) spaces.add(space)
      },
      seen(rights) {
        if (rights && (space === undefined || rights.visible.has(space))) return
        request.log.info('a streamed response was aborted: its reader lost access')
        payload.destroy(new Error('the reader of the response lost access'))
      },
    })
    onClosed(reply, stop)
    done()
  })
}
