import { withIdempotentResponse } from '../access/idempotency/idempotent-response.ts'
import { preconditionsOf } from '../access/preconditions.ts'
import { replayWithRole } from '../access/replay-authorization.ts'
import { pageParams } from '../access/schema.ts'
import { addressIn } from '../http/addresses/page-address.ts'
import { endpoint } from '../http/endpoint.ts'
import { withEtag } from '../http/headers/etag-header.ts'
import { PAGE_WRITE_ERRORS } from '../http/openapi/errors.ts'
import { WRITE_HEADERS } from '../http/openapi/headers.ts'
import { type EditedPage, editPage } from './edit.ts'
import { maxJsonBytes } from './put-routes.ts'
import { editedPageSchema, editPageSchema } from './schema.ts'

/** Edits of a part of a page. */
export const pageEditRoute = endpoint({
  route: 'PATCH /pages/:space/:path',
  config: {
    errors: ['edit_not_applicable', 'invalid_body', 'precondition_required', ...PAGE_WRITE_ERRORS],
    idempotency: replayWithRole('editor'),
    checksText: true,
    headers: WRITE_HEADERS,
  },
  bodyLimit: maxJsonBytes,
  tags: ['Pages'],
  operationId: 'pages.edit',
  summary: 'Edit parts of a page',
  description:
    'Needs `If-Match`. The edits are applied in order, all or none, as one revision. Sections follow the Markdown parse: a `#` in a code block is no heading. Nothing outside the edits changes.',
  params: pageParams,
  body: editPageSchema,
  response: { 200: editedPageSchema },
  handler: async (request, reply) => {
    const { space, path } = addressIn(request.params)
    const { edits, note } = request.body
    const preconditions = preconditionsOf(request.headers)
    const respond = ({ page, changes }: EditedPage) => ({ ...withEtag(reply, page), changes: [...changes] })
    const ctx = withIdempotentResponse(request, reply, respond)
    return reply.send(respond(await editPage(ctx, { space, path, edits, note, preconditions })))
  },
})
