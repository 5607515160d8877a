import type { TrashedFile } from '../../../content/lifecycle/trash.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, confirmed, errorNotice } from '../controls.ts'
import { html } from '../html.ts'
import { actorName, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { formatBytes } from '../t.ts'
import { filesUrl, fileTrashUrl, trashUrl } from '../urls.ts'
import { folderLine, formatFacts, lastSegment } from './thumbnail.ts'

export interface FileTrashView extends Shown {
  readonly space: Space
  readonly files: List<TrashedFile>
}

/** The deleted files of a space: restoring them, and deleting them permanently. */
export function fileTrashScreen(view: FileTrashView): Screen {
  const { space, files, cursor } = view
  const url = fileTrashUrl(space.slug)
  return spaceFrame(space, 'Trash', {
    title: `Deleted files · ${space.name}`,
    crumbs: [
      { text: 'Trash', href: trashUrl(space.slug) },
      { text: 'Files', href: url },
    ],
    main: html`<div class="screen narrow">
<h1>${space.name}: deleted files</h1>
${errorNotice(view.failed)}
<p><a href="${trashUrl(space.slug)}">Deleted pages</a></p>
${rows(
  'Deleted files',
  files.items.map((file) => row(view, file)),
  html`<p>No file was deleted.</p><p><a href="${filesUrl(space.slug)}">Back to the files</a></p>`,
)}
${pager(url, {}, { cursor, nextCursor: files.nextCursor })}
</div>`,
  })
}

function row({ space }: FileTrashView, file: TrashedFile): Row {
  const { path, size, deletedAt, deletedBy, expiresAt, restorable } = file
  const name = lastSegment(path)
  const about = html`${folderLine(path)}${formatFacts(file, formatBytes(size))}, deleted ${moment(deletedAt)} by ${actorName(deletedBy)}${expiresAt !== null && html`; kept until ${moment(expiresAt)}`}${!restorable && html`. A newer file has or had this path, so this one cannot be restored.`}`
  if (!restorable || space.role === 'viewer') return { title: name, about }
  const fields = { path }
  return {
    title: name,
    about,
    actions: html`${buttonForm({ action: fileTrashUrl(space.slug, 'restore'), text: 'Restore', label: `Restore ${path}`, fields })}
${space.role === 'admin' && confirmed({ action: fileTrashUrl(space.slug, 'purge'), text: 'Delete permanently', about: path, warning: 'Deletes the file with all its versions. This cannot be undone.', sure: 'Delete permanently', fields })}`,
  }
}
