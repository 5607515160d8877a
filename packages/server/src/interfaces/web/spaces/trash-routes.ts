import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { requireSpace } from '../../../access/space.ts'
import { purge } from '../../../content/lifecycle/delete.ts'
import { restorePage } from '../../../content/lifecycle/restore.ts'
import { listTrashedPages, type TrashedPage } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { buttonForm, doneNotice } from '../controls.ts'
import { readText } from '../fields.ts'
import { html, t } from '../html.ts'
import { apiPageUrl } from '../message.ts'
import { longListFilter, pager, type Row, rows } from '../rows.ts'
import { formRoute, screenRoute, whenDone } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { deletedText, restoredText } from '../trash-texts.ts'
import { browseUrl, fileTrashUrl, trashUrl, withQuery } from '../urls.ts'

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
      const url = trashUrl(space.slug)
      return spaceFrame(space, 'Trash', {
        title: `${t('Trash')} · ${space.name}`,
        crumbs: [{ text: t('Trash'), href: url }],
        heading: t('{space}: trash', { space: space.name }),
        main: html`${doneNotice(doneText)}
<p><a href="${fileTrashUrl(space.slug)}">${t('Deleted files')}</a></p>
${longListFilter(url, t('Filter deleted pages'), { name, cursor, list: trash })}
${
  trash.items.length > 0 &&
  html`<p>${t(
    'Links to these pages are broken until they are restored. Restoring a page keeps its history and properties.',
  )}</p>`
}
${rows(
  t('Deleted pages'),
  trash.items.map((page) => trashRow(space, page)),
  name
    ? html`<p>${t('No matching pages')}</p>`
    : html`<p>${t('The trash is empty.')}</p><p>
${t(
  'Deleted pages appear here and can be restored.',
)} <a href="${browseUrl(space.slug)}">${t('Back to the pages')}</a></p>`,
)}
${pager(url, { name }, { cursor, nextCursor: trash.nextCursor })}`,
      })
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
      return spaceFrame(space, 'Trash', {
        title: `${t('Delete {path} permanently?', { path })} · Recto`,
        crumbs: [{ text: t('Trash'), href: trashUrl(space.slug) }],
        heading: t('Delete this page permanently?'),
        main: html`<p>${t('Deletes {path} from {space} with its history and properties. This cannot be undone.', {
          path: html`<strong>${path}</strong>`,
          space: space.name,
        })}</p>
${buttonForm(trashUrl(space.slug, 'purge'), t('Delete permanently'), { fields: { path }, look: 'danger' })}
<p><a href="${trashUrl(space.slug)}">${t('Cancel')}</a></p>`,
      })
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

function trashRow(space: Space, page: TrashedPage): Row {
  const { path, title, deletedAt, deletedBy, expiresAt, restorable } = page
  const about = html`${path}, ${deletedText({ deletedAt, deletedBy, expiresAt })}${
    !restorable && html`. ${t('A newer page has or had this path, so this one cannot be restored.')}`
  }`
  if (!restorable || space.role === 'viewer') return { title, about }
  return {
    title,
    about,
    actions: html`${buttonForm(trashUrl(space.slug, 'restore'), t('Restore'), {
      label: t('Restore {name}', { name: title }),
      fields: { path },
    })}
${
  space.role === 'admin' &&
  html`<a class="button danger" href="${withQuery(trashUrl(space.slug, 'purge'), { path })}"
    aria-label="${t('Delete permanently… {name}', { name: title })}">${t('Delete permanently…')}</a>`
}`,
  }
}
