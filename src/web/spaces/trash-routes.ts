import { Type } from 'typebox'
import { requireSpace } from '../../access/space.ts'
import { pageUrl, parsePagePath, parseSlug } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { purgePage } from '../../lifecycle/delete.ts'
import { restorePage } from '../../lifecycle/restore.ts'
import { trashOfSpace } from '../../lifecycle/trash.ts'
import { preconditionsOf } from '../../pages/preconditions.ts'
import { readSpace } from '../../spaces/space.ts'
import { csrfField } from '../forms.ts'
import { fieldsSchema, sendScreen, textOf } from '../screen.ts'
import { purgeScreen, trashScreen } from './trash-view.ts'

const params = Type.Object({ slug: Type.String() })
const forms = { schema: { hide: true, params, body: fieldsSchema } }
const query = Type.Object(
  { cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

/** The trash of a space: what was deleted comes back or goes. */
export async function trashRoutes(app: Server): Promise<void> {
  app.get('/trash/:slug', { schema: { hide: true, params, querystring: query } }, async (request, reply) => {
    const slug = parseSlug(request.params.slug)
    const { cursor, done } = request.query
    const paging = cursor === undefined ? {} : { cursor }
    const space = await readSpace(request.ctx, slug)
    const trash = await trashOfSpace(request.ctx, { space: slug, ...paging })
    const csrf = csrfField(request)
    const told = done === 'purged' ? { done: 'The page was deleted permanently.' } : {}
    return sendScreen(reply, trashScreen({ space, trash, csrf, ...paging, ...told }))
  })

  app.post('/trash/:slug/restore', forms, async (request, reply) => {
    const space = parseSlug(request.params.slug)
    const page = await restorePage(request.ctx, { space, path: parsePagePath(textOf(request.body, 'path')) })
    return reply.redirect(pageUrl(page.space, page.path), 303)
  })

  app.get(
    '/trash/:slug/purge',
    { schema: { hide: true, params, querystring: Type.Object({ path: Type.String({ maxLength: 8192 }) }) } },
    async (request, reply) => {
      const slug = parseSlug(request.params.slug)
      await requireSpace(request.ctx, slug, 'admin')
      const space = await readSpace(request.ctx, slug)
      const path = parsePagePath(request.query.path)
      return sendScreen(reply, purgeScreen({ space, path, csrf: csrfField(request) }))
    },
  )

  app.post('/trash/:slug/purge', forms, async (request, reply) => {
    const space = parseSlug(request.params.slug)
    const path = parsePagePath(textOf(request.body, 'path'))
    // No tag: a page that stands there by now is not the one that was meant.
    await purgePage(request.ctx, { space, path, preconditions: preconditionsOf({}) })
    return reply.redirect(`/trash/${space}?done=purged`, 303)
  })
}
