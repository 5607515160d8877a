import type { FolderDeletion } from '../../lifecycle/delete-folder.ts'
import type { MoveOutcome } from '../../lifecycle/move.ts'
import { errorNotice, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceTabs } from '../tabs.ts'
import { browseUrl, deleteFolderUrl, moveFolderUrl } from '../urls.ts'
import { countOrNone, planned, SHOWN } from './views.ts'

interface FolderFrame {
  readonly space: { readonly slug: string; readonly name: string }
  readonly path: string
}

export interface MoveFolderView extends FolderFrame {
  /** The possible target spaces. */
  readonly spaces: readonly { readonly slug: string; readonly name: string }[]
  readonly to: { readonly space: string; readonly path: string }
  readonly rewriteLinks: boolean
  readonly failed?: FailedForm | undefined
  /** The result of the dry run. */
  readonly plan?: MoveOutcome | undefined
}

/** The form that moves a folder. */
export function moveFolderScreen(view: MoveFolderView): Screen {
  const { space, path, to, failed, plan } = view
  return frame(
    view,
    `Move ${path}`,
    html`<div class="screen narrow">
<h1>Move or rename a folder</h1>
<p>All pages and files in <code>${path}</code> move. They keep their history and properties. Their old URLs redirect to the new ones.</p>
${errorNotice(failed)}
<form class="form" method="post" action="${moveFolderUrl(space.slug, path)}">
${CSRF_FIELD}
${textField({ name: 'path', label: 'New path', value: to.path, required: true, maxLength: 1024, failed })}
${view.spaces.length > 1 && selectField({ name: 'space', label: 'Space', value: to.space, choices: view.spaces.map(({ slug, name }) => ({ value: slug, text: name })) })}
<label class="check"><input type="checkbox" name="rewriteLinks" value="1"${view.rewriteLinks && trusted(' checked')}> Update links to these pages where you can edit</label>
<div class="buttons">
<button class="button primary" type="submit">Move</button>
<button class="button" type="submit" name="action" value="check">Preview</button>
<a class="button plain" href="${browseUrl(space.slug, `${path}/`)}">Cancel</a>
</div>
</form>
${plan && planned(plan)}
</div>`,
  )
}

export interface DeleteFolderView extends FolderFrame {
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

function frame({ space, path }: FolderFrame, title: string, main: Html): Screen {
  return {
    title: `${title} · ${space.name}`,
    crumbs: [
      { text: space.name, href: browseUrl(space.slug) },
      { text: path, href: browseUrl(space.slug, `${path}/`) },
    ],
    tabs: spaceTabs(space.slug, 'Pages'),
    space: space.slug,
    path,
    main,
  }
}
