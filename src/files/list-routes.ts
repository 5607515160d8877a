import { Type } from 'typebox'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/addresses/page-address.ts'
import { text } from '../http/bodies/text.ts'
import { endpoint } from '../http/endpoint.ts'
import { listOf, pagingParameters } from '../http/paging.ts'
import { strictObject } from '../http/strict-object.ts'
import { filesOfSpace } from './list.ts'
import { fileSchema } from './schema.ts'

const listQuery = strictObject({
  ...pagingParameters,
  prefix: Type.Optional(text({ maxLength: 1024, description: 'Only paths that start with this.' })),
  q: Type.Optional(
    text({
      maxLength: 256,
      description: 'Only paths that contain this text; letter case does not count.',
    }),
  ),
  unused: Type.Optional(
    Type.Boolean({
      description:
        'Only files to which no page refers that you can read. A page of the list may be short before its end.',
    }),
  ),
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z]+/[a-z0-9.+-]*$',
      maxLength: 127,
      description: 'A media type such as `image/png`, or all with its beginning: `image/`.',
    }),
  ),
})

/** The list of the files of a space. */
export const filesListRoute = endpoint({
  route: 'GET /spaces/:space/files',
  tags: ['Files'],
  operationId: 'files.list',
  summary: 'List the files of a space in the order of their paths',
  params: Type.Object({ space: spaceParameter }),
  querystring: listQuery,
  response: { 200: listOf(fileSchema) },
  handler: (request) =>
    filesOfSpace(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
})
