import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { purge } from '../../../content/lifecycle/delete.ts'
import { restoreFile } from '../../../content/lifecycle/restore.ts'
import { listTrashedFiles, type TrashedFile } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { buttonForm, confirmed, errorNotice } from '../controls.ts'
import { readText } from '../fields.ts'
import { formatBytes, html, t } from '../html.ts'
import { apiFileUrl } from '../message.ts'
import { longListFilter, pager, type Row, rows } from '../rows.ts'
import { formRoute, type Screen, type Shown, screenRoute } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { deletedText, restoredText } from '../trash-texts.ts'
import { fileScreenUrl, filesUrl, fileTrashUrl, trashUrl } from '../urls.ts'
import { folderLine, formatFacts, lastSegment } from './thumbnail.ts'

const query = strictObject({ cursor: pagingParameters.cursor, name: Type.Optional(text({ maxLength: 200 })) })

/** The deleted files of a space. */
export const fileTrashRoutes = registerRoutes(
  screenRoute('/trash/:slug/files', { query, view: (request) => trash(request, request.params.slug, request.query) }),
  formRoute('/trash/:slug/files/restore', {
    act: async ({ ctx, params, body }) => {
      const path = parsePagePath(readText(body, 'path'), 'file')
      const file = await restoreFile(ctx, { space: parseSlug(params.slug), path })
      const remove = { method: 'DELETE', url: apiFileUrl(file.space, path), match: file.etag } as const
      const undo = { requests: [remove], url: fileTrashUrl(file.space) }
      return { url: fileScreenUrl(file.space, path), message: { text: restoredText(file), undo } }
    },
    view: (request, failed) => trash(request, request.params.slug, { failed }),
  }),
  formRoute('/trash/:slug/files/purge', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const path = parsePagePath(readText(body, 'path'), 'file')
      // Without an ETag it never deletes a file that was created at this path since.
      await purge(ctx, 'file', { space, path, preconditions: parsePreconditions({}) })
      return { url: fileTrashUrl(space), message: { text: t('{name} was deleted permanently.', { name: path }) } }
    },
    view: (request, failed) => trash(request, request.params.slug, { failed }),
  }),
)

/** The deleted files of a space: restoring them, and deleting them permanently. */
async function trash(
  { ctx }: FastifyRequest,
  trashPath: string,
  { cursor, name, failed }: Shown & { readonly name?: string },
): Promise<Screen> {
  const slug = parseSlug(trashPath)
  const [space, files] = await Promise.all([
    readSpace(ctx, slug),
    listTrashedFiles(ctx, { space: slug, name, ...(cursor !== undefined && { cursor }) }),
  ])
  const url = fileTrashUrl(space.slug)
  return spaceFrame(space, 'Trash', {
    title: `${t('Deleted files')} · ${space.name}`,
    crumbs: [
      { text: t('Trash'), href: trashUrl(space.slug) },
      { text: t('Files'), href: url },
    ],
    heading: t('{space}: deleted files', { space: space.name }),
    main: html`${errorNotice(failed)}
<p><a href="${trashUrl(space.slug)}">${t('Deleted pages')}</a></p>
${longListFilter(url, t('Filter deleted files'), { name, cursor, list: files })}
${rows(
  t('Deleted files'),
  files.items.map((file) => row(space, file)),
  name
    ? html`<p>${t('No matching files')}</p>`
    : html`<p>${t('No file was deleted.')}</p><p><a href="${filesUrl(space.slug)}">${t('Back to the files')}</a></p>`,
)}
${pager(url, { name }, { cursor, nextCursor: files.nextCursor })}`,
  })
}

function row(space: Space, file: TrashedFile): Row {
  const { path, size, deletedAt, deletedBy, expiresAt, restorable } = file
  const name = lastSegment(path)
  const about = html`${folderLine(path)}${formatFacts(file, formatBytes(size))}, ${deletedText({
    deletedAt,
    deletedBy,
    expiresAt,
  })}${!restorable && html`. ${t('A newer file has or had this path, so this one cannot be restored.')}`}`
  if (!restorable || space.role === 'viewer') return { title: name, about }
  const fields = { path }
  return {
    title: name,
    about,
    actions: html`${buttonForm(fileTrashUrl(space.slug, 'restore'), t('Restore'), {
      label: t('Restore {name}', { name: path }),
      fields,
    })}
${
  space.role === 'admin' &&
  confirmed({
    action: fileTrashUrl(space.slug, 'purge'),
    text: t('Delete permanently'),
    about: path,
    warning: t('Deletes the file with all its versions. This cannot be undone.'),
    sure: t('Delete permanently'),
    fields,
  })
}`,
  }
}
