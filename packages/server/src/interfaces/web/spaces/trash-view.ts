import type { TrashedPage } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, doneNotice } from '../controls.ts'
import { type Html, type HtmlValue, html, t } from '../html.ts'
import { actorName, longListFilter, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, fileTrashUrl, trashUrl, withQuery } from '../urls.ts'

export interface TrashView {
  readonly space: Space
  readonly trash: List<TrashedPage>
  /** What their titles or paths have. */
  readonly name?: string | undefined
  readonly cursor?: string | undefined
  readonly done?: HtmlValue | undefined
}

/** The deleted pages of a space, and restoring them. */
export function trashScreen(view: TrashView): Screen {
  const { space, trash, name, cursor } = view
  const url = trashUrl(space.slug)
  return spaceFrame(space, 'Trash', {
    title: `${t('Trash')} · ${space.name}`,
    crumbs: [{ text: t('Trash'), href: url }],
    heading: t('{space}: trash', { space: space.name }),
    main: html`${doneNotice(view.done)}
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
  trash.items.map((page) => trashRow(view, page)),
  name
    ? html`<p>${t('No matching pages')}</p>`
    : html`<p>${t('The trash is empty.')}</p><p>
${t(
  'Deleted pages appear here and can be restored.',
)} <a href="${browseUrl(space.slug)}">${t('Back to the pages')}</a></p>`,
)}
${pager(url, { name }, { cursor, nextCursor: trash.nextCursor })}`,
  })
}

function trashRow({ space }: TrashView, page: TrashedPage): Row {
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

/** When and by whom a page or file was deleted, and how long it is kept. */
export function deletedText(item: Pick<TrashedPage, 'deletedAt' | 'deletedBy' | 'expiresAt'>): Html {
  const values = { when: moment(item.deletedAt), name: actorName(item.deletedBy) }
  if (item.expiresAt === null) return t('deleted {when} by {name}', values)
  return t('deleted {when} by {name}; kept until {end}', { ...values, end: moment(item.expiresAt) })
}

/** Asks for confirmation before a page in the trash is deleted permanently. */
export function purgeScreen(view: { readonly space: Space; readonly path: string }): Screen {
  const { space, path } = view
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
}
