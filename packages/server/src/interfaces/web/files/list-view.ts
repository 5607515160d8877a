import type { File } from '../../../content/files/file.ts'
import type { Usage } from '../../../content/files/usage.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, errorNotice, renderChoice } from '../controls.ts'
import { formatBytes, type Html, html, msg, t, trusted } from '../html.ts'
import { actorName, moment, pager } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { deleteFileUrl, fileScreenUrl, filesUrl, fileTrashUrl, uploadUrl } from '../urls.ts'
import { folderLine, formatFacts, lastSegment, thumbnail } from './thumbnail.ts'

/** The filters and the start of the list. */
export interface FilesQuery {
  readonly q?: string | undefined
  readonly type?: string | undefined
  /** Only files that no page uses. */
  readonly unused?: 'true' | undefined
  readonly cursor?: string | undefined
}

export interface FilesView {
  readonly space: Space
  readonly files: List<File>
  readonly usage: Usage
  readonly query: FilesQuery
  readonly failed?: FailedForm | undefined
}

const KINDS = [
  ['', msg('All files')],
  ['image/', msg('Images')],
  ['application/pdf', msg('PDF')],
  ['video/', msg('Video')],
  ['audio/', msg('Sound')],
  ['text/plain', msg('Text')],
] as const

/** The files of a space, with the actions on each. */
export function filesScreen(view: FilesView): Screen {
  const { space, files, query, failed } = view
  const url = filesUrl(space.slug)
  const mayWrite = space.role !== 'viewer'
  const isFiltered = Boolean(query.q || query.type || query.unused)
  const isEmpty = files.items.length === 0
  return spaceFrame(space, 'Files', {
    title: `${t('Files')} · ${space.name}`,
    heading: t('{space}: files', { space: space.name }),
    crumbs: [{ text: t('Files'), href: url }],
    column: '',
    actions: html`<p class="buttons">${
      mayWrite && html`<a class="button" href="${uploadUrl(space.slug)}">${t('Upload files')}</a> `
    }<a class="button plain" href="${fileTrashUrl(space.slug)}">${t('Deleted files')}</a></p>`,
    main: html`${errorNotice(failed)}
${(!isEmpty || isFiltered) && filterForm(space.slug, query)}
${
  isEmpty
    ? emptyText(space, isFiltered)
    : html`<ul class="rows action-list file-rows" aria-label="${t('Files')}">
\n${files.items.map((file) => row(view, file))}</ul>`
}
${pager(
  url,
  { q: query.q, type: query.type, unused: query.unused },
  { cursor: query.cursor, nextCursor: files.nextCursor },
)}
${!isEmpty && html`<p class="quiet">${usageText(view.usage)}</p>`}`,
  })
}

function filterForm(slug: string, { q, type, unused }: FilesQuery): Html {
  const choices = KINDS.map(([value, text]) => [value, t(text)] as const)
  return html`<form class="toolbar" method="get" action="${filesUrl(slug)}" role="search" aria-label="${t('Files')}">
<input class="input" dir="auto" type="search" name="q" value="${q}" aria-label="${t('Text in the path')}"
  placeholder="${t('Text in the path')}" maxlength="256" autocomplete="off">
${renderChoice('type', t('Kind'), type, choices)}
<label class="check"><input type="checkbox" name="unused" value="true"${
    unused && trusted(' checked')
  }> ${t('Not used by a page')}</label>
<button type="submit" class="button">${t('Show')}</button>
${(q || type || unused) && html`<a href="${filesUrl(slug)}">${t('All files')}</a>`}
</form>`
}

function row({ space, query }: FilesView, file: File): Html {
  const { path, version, size, updatedAt, updatedBy } = file
  const name = lastSegment(path)
  const fields = { version: String(version), ...given(query) }
  return html`<li>
${thumbnail(file)}
<div class="what"><div class="name"><a href="${fileScreenUrl(space.slug, path)}">${name}</a></div>
<div class="quiet">${folderLine(path)}${t('{facts}, {when} by {name}', {
    facts: formatFacts(file, formatBytes(size)),
    when: moment(updatedAt),
    name: actorName(updatedBy),
  })}</div></div>
${
  space.role !== 'viewer' &&
  html`<div class="actions">
${buttonForm(deleteFileUrl(space.slug, path), t('Delete'), {
  label: t('Delete {name}', { name: path }),
  fields,
})}</div>`
}
</li>
`
}

/** The members of a query that have a value. */
function given({ q, type, unused, cursor }: FilesQuery): Readonly<Record<string, string>> {
  return { ...(q && { q }), ...(type && { type }), ...(unused && { unused }), ...(cursor && { cursor }) }
}

function emptyText({ slug, role }: Space, isFiltered: boolean): Html {
  if (isFiltered) {
    return html`<div class="empty"><p>${t('No file matches.')}</p>
<p><a href="${filesUrl(slug)}">${t('Show all files')}</a></p></div>`
  }
  if (role === 'viewer')
    return html`<div class="empty"><h2>${t('No files yet')}</h2><p>
${t('Images and attachments of pages will appear here.')}</p></div>`
  return html`<div class="empty"><h2>${t('No files yet')}</h2>
<p>${t('Paste a picture into the editor of a page, or upload files here and refer to them from pages.')}</p>
<p><a class="button primary" href="${uploadUrl(slug)}">${t('Upload files')}</a></p></div>`
}

function usageText({ bytes, quotaBytes }: Usage): string {
  const sizes = { size: formatBytes(bytes), quota: formatBytes(quotaBytes) }
  return quotaBytes === 0
    ? t('{size} used. Old versions and deleted files count; equal files count once.', sizes)
    : t('{size} of {quota} used. Old versions and deleted files count; equal files count once.', sizes)
}
