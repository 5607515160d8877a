import type { FolderDeletion } from '../../lifecycle/delete-folder.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, deleteFolderUrl, moveFolderUrl } from '../urls.ts'
import { countOrNone, type MoveFolderView, moveForm, type Place, SHOWN } from './views.ts'

/** The form that moves a folder. */
export function moveFolderScreen(view: MoveFolderView): Screen {
  const { space, path } = view
  return frame(
    view,
    `Move ${path}`,
    html`<div class="screen narrow">
<h1>Move or rename a folder</h1>
<p>All pages and files in <code>${path}</code> move. They keep their history and properties. Their old URLs redirect to the new ones.</p>
${moveForm(view, { action: moveFolderUrl(space.slug, path), cancel: browseUrl(space.slug, `${path}/`), what: 'these pages' })}
</div>`,
  )
}

export interface DeleteFolderView extends Place {
  readonly pages: FolderDeletion['deleted']
  readonly files: FolderDeletion['files']
}

/** The confirmation before the pages of a folder are moved to the trash. */
export function deleteFolderScreen(view: DeleteFolderView): Screen {
  const { space, path, pages, files } = view
  return frame(
    view,
    `Delete ${path}`,
    html`<div class="screen narrow">
<h1>Delete this folder?</h1>
<p>${whatGoes(pages.length, files.length)} to the trash of <a href="${browseUrl(space.slug)}">${space.name}</a>. An editor can restore each of them with its history and properties. Links to them will be broken.</p>
<ul class="rows">${pages.slice(0, SHOWN).map(({ path, title }) => html`<li>${title}<br><span class="quiet">${path}</span></li>`)}</ul>
${pages.length > SHOWN && html`<p class="quiet">And ${countOrNone(pages.length - SHOWN, 'more page', 'more pages')}.</p>`}
${files.length > 0 && html`<h2>Files</h2><ul class="rows">${files.slice(0, SHOWN).map(({ path }) => html`<li><span class="quiet">${path}</span></li>`)}</ul>`}
${files.length > SHOWN && html`<p class="quiet">And ${countOrNone(files.length - SHOWN, 'more file', 'more files')}.</p>`}
<form class="form" method="post" action="${deleteFolderUrl(space.slug, path)}">
${CSRF_FIELD}
<div class="buttons">
<button class="button danger" type="submit">Move to trash</button>
<a class="button plain" href="${browseUrl(space.slug, `${path}/`)}">Cancel</a>
</div>
</form>
</div>`,
  )
}

function whatGoes(pages: number, files: number): string {
  if (files === 0) return countOrNone(pages, 'page goes', 'pages go')
  if (pages === 0) return countOrNone(files, 'file goes', 'files go')
  return `${countOrNone(pages, 'page', 'pages')} and ${countOrNone(files, 'file', 'files')} go`
}

function frame({ space, path }: Place, title: string, main: Html): Screen {
  return spaceFrame(space, 'Pages', {
    title: `${title} · ${space.name}`,
    crumbs: [{ text: path, href: browseUrl(space.slug, `${path}/`) }],
    path,
    main,
  })
}
