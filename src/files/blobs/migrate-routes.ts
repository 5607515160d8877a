import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { strictObject } from '../../http/strict-object.ts'
import { migrateFiles } from './migrate.ts'

const body = strictObject({
  to: Type.Union([Type.Literal('s3'), Type.Literal('database')]),
  after: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: '`next` of the response before; absent: from the start.',
    }),
  ),
})

/** Moving the bytes of files between the database and a bucket. */
export const migrateFilesRoute = endpoint({
  route: 'POST /admin/files/migrate',
  tags: ['Administration'],
  operationId: 'files.migrate',
  summary: 'Move bytes of files between the database and the bucket',
  description:
    'Moves some blobs, for ten seconds, while the service continues. Call it again with `next` as `after` until that is null. Repeating it is harmless. For organisation admins.',
  body,
  response: {
    200: Type.Object({
      moved: Type.Integer({ description: 'Blobs that were moved.' }),
      bytes: Type.Integer(),
      next: Type.Union([Type.String(), Type.Null()]),
    }),
  },
  handler: (request) => migrateFiles(request.ctx, request.body),
})
