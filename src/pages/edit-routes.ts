import { Type } from 'typebox'
import { withIdempotentResponse } from '../access/idempotency/idempotent-response.ts'
import { preconditionsOf } from '../access/preconditions.ts'
import { replayWithRole } from '../access/replay-authorization.ts'
import { pageParams } from '../access/schema.ts'
import { withEtag } from '../http/etag-header.ts'
import { WRITE_HEADERS } from '../http/openapi-headers.ts'
import { addressIn } from '../http/page-address.ts'
import type { Server } from '../http/server.ts'
import type { Edit } from '../markdown/edits.ts'
import { type EditedPage, editPage } from './edit.ts'
import { noteSchema, pageSchema } from './schema.ts'

const strict = { additionalProperties: false }
const addedText = Type.String({ description: 'Markdown. It gets lines of its own.' })
const headingName = {
  heading: Type.String({ minLength: 1, description: 'The text of a heading, without its marks.' }),
  level: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
  occurrence: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Which of several that fit, counted from 1.' }),
  ),
}

const editSchema = Type.Unsafe<Edit>({
  type: 'object',
  required: ['op'],
  // Names the form by `op`, so that an error describes that form only.
  discriminator: { propertyName: 'op' },
  oneOf: [
    Type.Object({ op: Type.Literal('append'), text: addedText }, strict),
    Type.Object({ op: Type.Literal('prepend'), text: addedText }, strict),
    Type.Object(
      {
        op: Type.Literal('replace'),
        find: Type.String({ minLength: 1, description: 'Exact text.' }),
        text: Type.String(),
        expectedCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1 })),
      },
      strict,
    ),
    Type.Object({ op: Type.Literal('replaceSection'), ...headingName, text: addedText }, strict),
    Type.Object({ op: Type.Literal('appendToSection'), ...headingName, text: addedText }, strict),
    Type.Object({ op: Type.Literal('insertBefore'), ...headingName, text: addedText }, strict),
    Type.Object({ op: Type.Literal('insertAfter'), ...headingName, text: addedText }, strict),
  ],
})

export const editPageSchema = Type.Object(
  { edits: Type.Array(editSchema, { minItems: 1, maxItems: 100 }), note: Type.Optional(noteSchema) },
  strict,
)

const changeSchema = Type.Object({
  edit: Type.Integer({ description: 'Number of the edit, counted from 0.' }),
  fromLine: Type.Integer({ description: 'First line that it changed, counted from 1 in the new body.' }),
  toLine: Type.Integer(),
})

const editedPageSchema = Type.Object({ ...pageSchema.properties, changes: Type.Array(changeSchema) })

/** Edits of a part of a page. */
export async function pageEditRoutes(app: Server, options: { readonly maxJsonBytes: number }): Promise<void> {
  app.patch(
    '/pages/:space/:path',
    {
      config: { idempotency: replayWithRole('editor'), checksText: true, headers: WRITE_HEADERS },
      bodyLimit: options.maxJsonBytes,
      schema: {
        tags: ['Pages'],
        operationId: 'pages.edit',
        summary: 'Edit parts of a page',
        description:
          'Needs `If-Match`. The edits are applied in turn, all or none, and make one revision. Sections follow the Markdown parse: a `#` in a code block is no heading. Nothing outside the edits changes.',
        params: pageParams,
        body: editPageSchema,
        response: { 200: editedPageSchema },
      },
    },
    async (request, reply) => {
      const { space, path } = addressIn(request.params)
      const { edits, note } = request.body
      const preconditions = preconditionsOf(request.headers)
      const respond = ({ page, changes }: EditedPage) => ({ ...withEtag(reply, page), changes: [...changes] })
      const ctx = withIdempotentResponse(request, reply, respond)
      return reply.send(respond(await editPage(ctx, { space, path, edits, note, preconditions })))
    },
  )
}
