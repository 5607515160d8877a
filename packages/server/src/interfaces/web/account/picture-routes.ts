import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { readPicture } from '../../../content/files/pictures/pictures.ts'
import { FILE_POLICY } from '../../../content/files/upload/content-type.ts'
import type { Routes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'

const query = strictObject({ v: Type.Optional(Type.String()) })
/** For a person without a picture, and for an id of nobody: the initials show through. */
const NO_PICTURE = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')

/** The pictures of people, for everybody who is signed in. */
export const pictureRoutes: Routes<unknown> = (app) =>
  app.get(
    '/pictures/:id',
    { schema: { hide: true, params: Type.Object({ id: Type.String() }), querystring: query } },
    async (request, reply) => {
      const picture = await readPicture(request.ctx, request.params.id)
      const etag = `"${picture?.digest.toString('base64url') ?? 'none'}"`
      reply.headers({
        ETag: etag,
        // A new picture is seen by others after this time.
        'Cache-Control': 'private, max-age=300',
        'Content-Security-Policy': FILE_POLICY,
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return send(reply, picture?.data)
    },
  )

function send(reply: FastifyReply, picture: Buffer | undefined): FastifyReply {
  return picture ? reply.type('image/webp').send(picture) : reply.type('image/svg+xml').send(NO_PICTURE)
}
