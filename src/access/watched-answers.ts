import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Server } from '../http/server.ts'
import type { RightsWatch } from './watch.ts'

const spaceOf = new WeakMap<FastifyRequest, number>()
const careForThemselves = new WeakSet<FastifyRequest>()

/** Sets the space of a response that may take long. */
export function answerIsAbout(request: FastifyRequest, spaceId: number): void {
  spaceOf.set(request, spaceId)
}

/** Declares that the response checks the rights of its reader itself. */
export function watchesItself(request: FastifyRequest): void {
  careForThemselves.add(request)
}

/** Aborts every streamed response when its reader loses access. Register it after the authentication. */
export function watchStreams(app: Server, watch: RightsWatch): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { ctx } = request
    if (!ctx || !(payload instanceof Readable) || careForThemselves.has(request)) return done()
    const space = spaceOf.get(request)
    const stop = watch.add({
      actor: ctx.actor,
      addSpaces(spaces) {
        if (space !== undefined) spaces.add(space)
      },
      seen(rights) {
        if (rights && (space === undefined || rights.visible.has(space))) return
        request.log.info('an answer was cut: its reader lost the right to it')
        payload.destroy(new Error('the right to the answer is gone'))
      },
    })
    reply.raw.once('close', stop)
    done()
  })
}
