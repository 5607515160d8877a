import { pageUrl } from '@recto/contract/page-url.ts'
import type { FolderDeletion } from '../../../content/lifecycle/delete-folder.ts'
import type { MoveOutcome } from '../../../content/lifecycle/move-order.ts'
import { errorNotice, hidden, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, trusted } from '../html.ts'
import { pageFrame } from '../page-screen.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import type { NamedSpace } from '../tabs.ts'
import { browseUrl, deleteFolderUrl, deleteUrl, moveFolderUrl, moveUrl } from '../urls.ts'

interface Place {
  readonly space: NamedSpace
  readonly path: string
}

interface PageFrame extends Place {
  readonly title: string
  readonly version: number
}

/** The move of a folder, as it was typed. */
export interface MoveFolderView extends Place {
  /** The possible target spaces. */
  readonly spaces: readonly { readonly slug: string; readonly name: string }[]
  readonly to: { readonly space: string; readonly path: string }
  readonly rewriteLinks: boolean
  readonly failed?: FailedForm | undefined
  /** The result of the dry run. */
  readonly plan?: MoveOutcome | undefined
}

export interface MoveView extends PageFrame, MoveFolderView {
  readonly withChildren: boolean
}

/** Lists are truncated to this length; the rest is counted. */
const SHOWN = 50

/** The form that moves a page, with a preview of the move. */
export function moveScreen(view: MoveView): Screen {
  const { space, path } = view
  return frame(
    view,
    `Move ${view.title}`,
    html`<div class="screen narrow">
<h1>Move or rename</h1>
<p>The page keeps its history and properties. Its old URL redirects to the new one.</p>
${moveForm(view, {
  action: moveUrl(space.slug, path),
  cancel: pageUrl(space.slug, path),
  what: 'this page',
  more: html`${hidden('version', String(view.version))}
<label class="check"><input type="checkbox" name="withChildren" value="1"${view.withChildren && trusted(' checked')}> Move the pages and files below it too</label>`,
})}
</div>`,
  )
}

/** The form of a move, with the preview below it. `more` are its further fields. */
function moveForm(
  { path, to, spaces, rewriteLinks, failed, plan }: MoveFolderView,
  form: { readonly action: string; readonly cancel: string; readonly what: string; readonly more?: Html },
): Html {
  // Enter moves to a parent that was chosen.
  const isChosen = !failed && to.path !== path
  return html`${errorNotice(failed)}
<form class="form" method="post" action="${form.action}">
${CSRF_FIELD}
${textField({ name: 'path', label: 'New path', value: to.path, required: true, maxLength: 1024, failed })}
${spaces.length > 1 && selectField({ name: 'space', label: 'Space', value: to.space, choices: spaces.map(({ slug, name }) => ({ value: slug, text: name })) })}
${form.more}
<label class="check"><input type="checkbox" name="rewriteLinks" value="1"${rewriteLinks && trusted(' checked')}> Update links to ${form.what} where you can edit</label>
<div class="buttons">
<button class="button primary" type="submit"${isChosen && trusted(' autofocus')}>Move</button>
<button class="button" type="submit" name="action" value="check">Preview</button>
<a class="button plain" href="${form.cancel}">Cancel</a>
</div>
</form>
${plan && planned(plan)}`
}

function planned({ moved, files, rewritten, left, refusals, opens, closes, redirectsEnded = [] }: MoveOutcome): Html {
  return html`<section aria-labelledby="plan">
<h2 id="plan">Preview</h2>
${refusals.length > 0 && html`<div class="notice error" role="alert"><p>The move is not possible:</p><ul>${refusals.slice(0, SHOWN).map(({ path, detail }) => html`<li><code>${path}</code> ${detail}</li>`)}</ul></div>`}
<p role="status">${countOrNone(moved.length, 'page moves', 'pages move')}${files.length > 0 && html`, and with them ${countOrNone(files.length, 'file', 'files')}`}; ${countOrNone(rewritten.length, 'page gets', 'pages get')} a new version with changed links; ${countOrNone(left.length, 'link stays as it is', 'links stay as they are')}.</p>
${
  opens &&
  html`<p role="status"><strong>${countOrNone(opens.people, 'more person or agent', 'more people and agents')}</strong> can read this after the move, with ${countOrNone(opens.revisions, 'version', 'versions')}, old ones included, ${countOrNone(opens.metadataChanges, 'change', 'changes')} of properties and ${countOrNone(opens.comments, 'comment', 'comments')}.</p>`
}
${closes && html`<p role="status"><strong>${countOrNone(closes.people, 'person or agent', 'people and agents')}</strong> can no longer read this after the move.</p>`}
${redirectsEnded.length > 0 && html`<h3>Redirects that end</h3><ul class="rows">${redirectsEnded.slice(0, SHOWN).map(({ from, to }) => html`<li><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`)}</ul>`}
<ul class="rows">${moved.slice(0, SHOWN).map(({ title, from, to }) => html`<li>${title}<br><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`)}</ul>
${files.length > 0 && html`<h3>Files</h3><ul class="rows">${files.slice(0, SHOWN).map(({ from, to }) => html`<li><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`)}</ul>`}
${rewritten.length > 0 && html`<h3>Changed links</h3><ul class="rows">${rewritten.slice(0, SHOWN).map(({ space, path, links }) => html`<li><code>${space}/${path}</code> <span class="quiet">${countOrNone(links.length, 'link', 'links')}</span></li>`)}</ul>`}
</section>`
}

export interface DeleteView extends PageFrame {
  /** How many pages link to it. */
  readonly backlinks: number
  readonly hasMore: boolean
  readonly failed?: FailedForm | undefined
}

/** The confirmation before a page is moved to the trash. */
export function deletePageScreen(view: DeleteView): Screen {
  const { space, path, title, backlinks, hasMore, failed } = view
  return frame(
    view,
    `Delete ${title}`,
    html`<div class="screen narrow">
<h1>Delete this page?</h1>
${errorNotice(failed)}
<p><strong>${title}</strong> goes to the trash of <a href="${browseUrl(space.slug)}">${space.name}</a>. An editor can restore it with its history and properties.</p>
${backlinks > 0 && html`<p class="notice warning">${hasMore ? html`More than ${backlinks} pages link` : countOrNone(backlinks, 'page links', 'pages link')} to it: those links will be broken.</p>`}
<form class="form" method="post" action="${deleteUrl(space.slug, path)}">
${CSRF_FIELD}
${hidden('version', String(view.version))}
<div class="buttons">
<button class="button danger" type="submit">Move to trash</button>
<a class="button plain" href="${pageUrl(space.slug, path)}">Cancel</a>
</div>
</form>
</div>`,
  )
}

function frame({ space, path }: Place, title: string, main: Html): Screen {
  const page = { space: space.slug, spaceName: space.name, visibility: space.visibility, path, editable: true }
  return pageFrame(page, undefined, { title: `${title} · ${space.name}`, main })
}

/** The form that moves a folder. */
export function moveFolderScreen(view: MoveFolderView): Screen {
  const { space, path } = view
  return folderFrame(
    view,
    `Move ${path}`,
    html`<div class="screen narrow">
<h1>Move or rename a folder</h1>
<p>All pages and files in <code>${path}</code> move. They keep their history and properties. Their old URLs redirect to the new ones.</p>
${moveForm(view, { action: moveFolderUrl(space.slug, path), cancel: browseUrl(space.slug, `${path}/`), what: 'these pages' })}
</div>`,
  )
}

interface DeleteFolderView extends Place {
  readonly pages: FolderDeletion['deleted']
  readonly files: FolderDeletion['files']
}

/** The confirmation before the pages of a folder are moved to the trash. */
export function deleteFolderScreen(view: DeleteFolderView): Screen {
  const { space, path, pages, files } = view
  return folderFrame(
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

function folderFrame({ space, path }: Place, title: string, main: Html): Screen {
  return spaceFrame(space, 'Pages', {
    title: `${title} · ${space.name}`,
    crumbs: [{ text: path, href: browseUrl(space.slug, `${path}/`) }],
    path,
    main,
  })
}

export function countOrNone(count: number, one: string, many: string): string {
  return `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`
}
