import { open } from 'node:fs/promises'
import { AppError } from '@recto/contract/errors.ts'
import Negotiator from 'negotiator'
import { Type } from 'typebox'
import type { Server } from '../../../platform/http/server.ts'
import { encodedFile, findAsset, loadAssets } from './assets.ts'

/** Static files, under names with a digest of their content, compressed at build time. */
export async function assetRoutes(app: Server): Promise<void> {
  loadAssets()
  app.get(
    '/assets/:name',
    { config: { public: true }, schema: { hide: true, params: Type.Object({ name: Type.String() }) } },
    async (request, reply) => {
      const asset = findAsset(request.params.name)
      if (!asset) throw noSuchFile()
      const [encoding] = new Negotiator(request).encodings([...asset.encodings, 'identity'])
      const sentEncoding = asset.encodings.find((offer) => offer === encoding)
      const file = await open(encodedFile(asset, sentEncoding)).catch((error: NodeJS.ErrnoException) => {
        // A build while the service runs has replaced it.
        throw error.code === 'ENOENT' ? noSuchFile() : error
      })
      reply
        .type(asset.contentType)
        .headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      if (sentEncoding !== undefined) reply.header('Content-Encoding', sentEncoding)
      return reply.send(file.createReadStream())
    },
  )
}

function noSuchFile(): AppError {
  return new AppError('not_found', 'There is no such file: it may be of another release.')
}
