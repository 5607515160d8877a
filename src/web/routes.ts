import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import type { Server } from '../http/server.ts'
import { findAsset } from './assets.ts'
import { referenceDocument } from './reference-view.ts'

const config = { public: true }

/** What browsers load beside pages. */
export async function webRoutes(app: Server): Promise<void> {
  app.get(
    '/assets/:name',
    { config, schema: { hide: true, params: Type.Object({ name: Type.String() }) } },
    async (request, reply) => {
      const asset = findAsset(`/assets/${request.params.name}`)
      if (!asset) throw new AppError('not_found', 'There is no such file: it may be of another release.')
      return reply
        .type(asset.contentType)
        .header('Cache-Control', 'public, max-age=31536000, immutable')
        .send(asset.bytes)
    },
  )

  app.get('/docs', { config, schema: { hide: true } }, async (_, reply) =>
    reply.type('text/html; charset=utf-8').send(referenceDocument(app.swagger())),
  )
}
