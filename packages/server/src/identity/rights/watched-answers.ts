import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onClosed } from '../../platform/http/request-scope.ts'
import type { Rights } from './store-rights.ts'
import type { RightsWatch } from './watch.ts'

/** What a response is about: a space, and the paths of it that are sent. */
interface Subject {
  readonly spaceId: number
  readonly paths: readonly string[]
}

const subjects = new WeakMap<FastifyRequest, Subject>()
const selfWatching = new WeakSet<FastifyRequest>()

/** Sets the space of a response that may take long, and the paths in it, which may grow as the response is sent. */
export function watchResponse(request: FastifyRequest, spaceId: number, paths: readonly string[]): void {
  subjects.set(request, { spaceId, paths })
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
    const subject = subjects.get(request)
    const stop = watch.add({
      actor: ctx.actor,
      addSpaces(spaces) {
        if (subject) spaces.add(subject.spaceId)
      },
      seen(rights) {
        if (rights && (!subject || isReadable(rights, subject))) return
        request.log.info('a streamed response was aborted: its reader lost access')
        stream.destroy(new Error('the reader of the response lost access'))
      },
    })
    onClosed(reply, stop)
  }
}

function isReadable({ visible, rankAt }: Rights, { spaceId, paths }: Subject): boolean {
  return visible.has(spaceId) && paths.every((path) => rankAt(spaceId, path) >= 1)
}
