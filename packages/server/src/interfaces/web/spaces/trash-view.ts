import type { TrashedPage } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, doneNotice } from '../controls.ts'
import { type HtmlValue, html } from '../html.ts'
import { actorName, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, fileTrashUrl, trashUrl, withQuery } from '../urls.ts'

export interface TrashView {
  readonly space: Space
  readonly trash: List<TrashedPage>
  readonly cursor?: string | undefined
  readonly done?: HtmlValue | undefined
}

/** The deleted pages of a space, and restoring them. */
export function trashScreen(view: TrashView): Screen {
  const { space, trash, cursor } = view
  const url = trashUrl(space.slug)
  return spaceFrame(space, 'Trash', {
    title: `Trash · ${space.name}`,
    crumbs: [{ text: 'Trash', href: url }],
    main: html`<div class="screen narrow">
<h1>${space.name}: trash</h1>
${doneNotice(view.done)}
<p><a href="${fileTrashUrl(space.slug)}">Deleted files</a></p>
${trash.items.length > 0 && html`<p>Links to these pages are broken until they are restored. Restoring a page keeps its history and properties.</p>`}
${rows(
  'Deleted pages',
  trash.items.map((page) => trashRow(view, page)),
  html`<p>The trash is empty.</p><p>Deleted pages appear here and can be restored. <a href="${browseUrl(space.slug)}">Back to the pages</a></p>`,
)}
${pager(url, {}, { cursor, nextCursor: trash.nextCursor })}
</div>`,
  })
}

function trashRow({ space }: TrashView, page: TrashedPage): Row {
  const { path, title, deletedAt, deletedBy, expiresAt, restorable } = page
  const about = html`${path}, deleted ${moment(deletedAt)} by ${actorName(deletedBy)}${expiresAt !== null && html`; kept until ${moment(expiresAt)}`}${!restorable && html`. A newer page has or had this path, so this one cannot be restored.`}`
  if (!restorable || space.role === 'viewer') return { title, about }
  return {
    title,
    about,
    actions: html`${buttonForm({ action: trashUrl(space.slug, 'restore'), text: 'Restore', label: `Restore ${title}`, fields: { path } })}
${space.role === 'admin' && html`<a class="button danger" href="${withQuery(trashUrl(space.slug, 'purge'), { path })}" aria-label="Delete permanently… ${title}">Delete permanently…</a>`}`,
  }
}

/** Asks for confirmation before a page in the trash is deleted permanently. */
export function purgeScreen(view: { readonly space: Space; readonly path: string }): Screen {
  const { space, path } = view
  return spaceFrame(space, 'Trash', {
    title: `Delete ${path} permanently? · Recto`,
    crumbs: [{ text: 'Trash', href: trashUrl(space.slug) }],
    main: html`<div class="screen narrow">
<h1>Delete this page permanently?</h1>
<p>Deletes <strong>${path}</strong> from ${space.name} with its history and properties. This cannot be undone.</p>
${buttonForm({ action: trashUrl(space.slug, 'purge'), text: 'Delete permanently', fields: { path }, look: 'danger' })}
<p><a href="${trashUrl(space.slug)}">Cancel</a></p>
</div>`,
  })
}
