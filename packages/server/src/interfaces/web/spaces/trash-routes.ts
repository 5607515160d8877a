import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { requireSpace } from '../../../access/space.ts'
import { purge } from '../../../content/lifecycle/delete.ts'
import { restorePage } from '../../../content/lifecycle/restore.ts'
import { listTrashedPages } from '../../../content/lifecycle/trash.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { readText } from '../fields.ts'
import { t } from '../html.ts'
import { apiPageUrl } from '../message.ts'
import { restoredText } from '../restored-text.ts'
import { formRoute, screenRoute, whenDone } from '../screen.ts'
import { trashUrl } from '../urls.ts'
import { purgeScreen, trashScreen } from './trash-view.ts'

const query = strictObject({
  cursor: pagingParameters.cursor,
  name: Type.Optional(text({ maxLength: 200 })),
  done: Type.Optional(Type.String()),
})

/** The trash of a space: restoring pages, and deleting them permanently. */
export const trashRoutes = registerRoutes(
  screenRoute('/trash/:slug', {
    query,
    view: async (request) => {
      const slug = parseSlug(request.params.slug)
      const { cursor, name, done } = request.query
      const space = await readSpace(request.ctx, slug)
      const trash = await listTrashedPages(request.ctx, { space: slug, name, ...(cursor !== undefined && { cursor }) })
      const doneText = done === 'purged' ? t('The page was deleted permanently.') : undefined
      return trashScreen({ space, trash, name, cursor, done: doneText })
    },
  }),
  formRoute('/trash/:slug/restore', {
    act: async ({ ctx, params, body }) => {
      const path = parsePagePath(readText(body, 'path'))
      const page = await restorePage(ctx, { space: parseSlug(params.slug), path })
      const url = apiPageUrl(page.space, page.path)
      const remove = { method: 'DELETE', url, match: page.etag } as const
      const undo = { requests: [remove], url: trashUrl(page.space) }
      const message = { text: restoredText(page), undo }
      return { url: pageUrl(page.space, page.path), message }
    },
  }),
  screenRoute('/trash/:slug/purge', {
    query: Type.Object({ path: Type.String({ maxLength: 8192 }) }),
    view: async (request) => {
      const slug = parseSlug(request.params.slug)
      await requireSpace(request.ctx, slug, 'admin')
      const space = await readSpace(request.ctx, slug)
      const path = parsePagePath(request.query.path)
      return purgeScreen({ space, path })
    },
  }),
  formRoute('/trash/:slug/purge', {
    act: ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const path = parsePagePath(readText(body, 'path'))
      // Without an ETag it never deletes a live page that was created at this path since.
      const purgeRequest = purge(ctx, 'page', { space, path, preconditions: parsePreconditions({}) })
      return whenDone(purgeRequest, trashUrl(space), 'purged')
    },
  }),
)
