import type { TrashedFile } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, confirmed, errorNotice } from '../controls.ts'
import { formatBytes, html, t } from '../html.ts'
import { longListFilter, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { deletedText } from '../spaces/trash-view.ts'
import { filesUrl, fileTrashUrl, trashUrl } from '../urls.ts'
import { folderLine, formatFacts, lastSegment } from './thumbnail.ts'

export interface FileTrashView extends Shown {
  readonly space: Space
  readonly files: List<TrashedFile>
  /** What their paths have. */
  readonly name?: string | undefined
}

/** The deleted files of a space: restoring them, and deleting them permanently. */
export function fileTrashScreen(view: FileTrashView): Screen {
  const { space, files, name, cursor } = view
  const url = fileTrashUrl(space.slug)
  return spaceFrame(space, 'Trash', {
    title: `${t('Deleted files')} · ${space.name}`,
    crumbs: [
      { text: t('Trash'), href: trashUrl(space.slug) },
      { text: t('Files'), href: url },
    ],
    heading: t('{space}: deleted files', { space: space.name }),
    main: html`${errorNotice(view.failed)}
<p><a href="${trashUrl(space.slug)}">${t('Deleted pages')}</a></p>
${longListFilter(url, t('Filter deleted files'), { name, cursor, list: files })}
${rows(
  t('Deleted files'),
  files.items.map((file) => row(view, file)),
  name
    ? html`<p>${t('No matching files')}</p>`
    : html`<p>${t('No file was deleted.')}</p><p><a href="${filesUrl(space.slug)}">${t('Back to the files')}</a></p>`,
)}
${pager(url, { name }, { cursor, nextCursor: files.nextCursor })}`,
  })
}

function row({ space }: FileTrashView, file: TrashedFile): Row {
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
