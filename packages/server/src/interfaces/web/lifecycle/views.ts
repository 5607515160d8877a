import { pageUrl } from '@recto/contract/page-url.ts'
import type { FolderDeletion } from '../../../content/lifecycle/delete-folder.ts'
import type { MoveOutcome } from '../../../content/lifecycle/move-order.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { errorNotice, hidden, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
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
    t('Move {name}', { name: view.title }),
    html`<div class="screen narrow">
<h1>${t('Move or rename')}</h1>
<p>${t('The page keeps its history and properties. Its old URL redirects to the new one.')}</p>
${moveForm(view, {
  action: moveUrl(space.slug, path),
  cancel: pageUrl(space.slug, path),
  update: t('Update links to this page where you can edit'),
  more: html`${hidden('version', String(view.version))}
<label class="check"><input type="checkbox" name="withChildren"
  value="1"${view.withChildren && trusted(' checked')}> ${t('Move the pages and files below it too')}</label>`,
})}
</div>`,
  )
}

/** The form of a move, with the preview below it. `more` are its further fields. */
function moveForm(
  { path, to, spaces, rewriteLinks, failed, plan }: MoveFolderView,
  form: { readonly action: string; readonly cancel: string; readonly update: string; readonly more?: Html },
): Html {
  // Enter moves to a parent that was chosen.
  const isChosen = !failed && to.path !== path
  return html`${errorNotice(failed)}
<form class="form" method="post" action="${form.action}">
${CSRF_FIELD}
${textField('path', t('New path'), { value: to.path, required: true, maxLength: 1024, failed })}
${
  spaces.length > 1 &&
  selectField('space', t('Space'), {
    value: to.space,
    choices: spaces.map(({ slug, name }) => ({ value: slug, text: name })),
  })
}
${form.more}
<label class="check"><input type="checkbox" name="rewriteLinks"
  value="1"${rewriteLinks && trusted(' checked')}> ${form.update}</label>
<div class="buttons">
<button class="button primary" type="submit"${isChosen && trusted(' autofocus')}>${t('Move')}</button>
<button class="button" type="submit" name="action" value="check">${t('Preview')}</button>
<a class="button plain" href="${form.cancel}">${t('Cancel')}</a>
</div>
</form>
${plan && planned(plan)}`
}

const strong = (text: Html) => html`<strong>${text}</strong>`

function planned({ moved, files, rewritten, left, refusals, opens, closes, redirectsEnded = [] }: MoveOutcome): Html {
  return html`<section aria-labelledby="plan">
<h2 id="plan">${t('Preview')}</h2>
${
  refusals.length > 0 &&
  html`<div class="notice error" role="alert"><p>${t('The move is not possible:')}</p><ul>${refusals
    .slice(0, SHOWN)
    .map(({ path, detail }) => html`<li><code>${path}</code> ${translateDetail(detail)}</li>`)}</ul></div>`
}
<p role="status">${t(
    '{moved, plural, =0 {no pages move} one {# page moves} other {# pages move}}{files, plural, =0 {} one {, ' +
      'and with them # file} other {, and with them # files}}; ' +
      '{rewritten, plural, =0 {no pages get} one {# page gets} other {# pages get}} a new version with changed ' +
      'links; {left, plural, =0 {no links stay as they are} one {# link stays as it is} other {# links stay ' +
      'as they are}}.',
    { moved: moved.length, files: files.length, rewritten: rewritten.length, left: left.length },
  )}</p>
${
  opens &&
  html`<p role="status">
${t(
  '<strong>{people, plural, =0 {no more people and agents} one {# more person or agent} other {# more people and ' +
    'agents}}</strong> can read this after the move, with {revisions, plural, ' +
    '=0 {no versions} one {# version} other {# versions}}, old ones included, {metadataChanges, plural, ' +
    '=0 {no changes} one {# change} other {# changes}} of properties and {comments, plural, ' +
    '=0 {no comments} one {# comment} other {# comments}}.',
  { ...opens, strong },
)}</p>`
}
${
  closes &&
  html`<p role="status">
${t(
  '<strong>{people, plural, =0 {no people and agents} one {# person or agent} other {# people and agents}}</strong> ' +
    'can no longer read this after the move.',
  { people: closes.people, strong },
)}</p>`
}
${
  redirectsEnded.length > 0 &&
  html`<h3>${t('Redirects that end')}</h3><ul class="rows">
${redirectsEnded
  .slice(0, SHOWN)
  .map(
    ({ from, to }) => html`<li><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`,
  )}</ul>`
}
<ul class="rows">${moved
    .slice(0, SHOWN)
    .map(
      ({ title, from, to }) =>
        html`<li>${title}<br><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`,
    )}</ul>
${
  files.length > 0 &&
  html`<h3>${t('Files')}</h3><ul class="rows">
${files
  .slice(0, SHOWN)
  .map(
    ({ from, to }) => html`<li><span class="quiet">${from.space}/${from.path} → ${to.space}/${to.path}</span></li>`,
  )}</ul>`
}
${
  rewritten.length > 0 &&
  html`<h3>${t('Changed links')}</h3><ul class="rows">${rewritten
    .slice(0, SHOWN)
    .map(
      ({ space, path, links }) =>
        html`<li><code>${space}/${path}</code> <span class="quiet">${t(
          '{count, plural, one {# link} other {# links}}',
          { count: links.length },
        )}</span></li>`,
    )}</ul>`
}
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
    t('Delete {name}', { name: title }),
    html`<div class="screen narrow">
<h1>${t('Delete this page?')}</h1>
${errorNotice(failed)}
<p>${t('{title} goes to the trash of {space}. An editor can restore it with its history and properties.', {
      title: html`<strong>${title}</strong>`,
      space: html`<a href="${browseUrl(space.slug)}">${space.name}</a>`,
    })}</p>
${
  backlinks > 0 &&
  html`<p class="notice warning">
${
  hasMore
    ? t('More than {count, number} pages link to it: those links will be broken.', { count: backlinks })
    : t('{count, plural, one {# page links} other {# pages link}} to it: those links will be broken.', {
        count: backlinks,
      })
}</p>`
}
<form class="form" method="post" action="${deleteUrl(space.slug, path)}">
${CSRF_FIELD}
${hidden('version', String(view.version))}
<div class="buttons">
<button class="button danger" type="submit">${t('Move to trash')}</button>
<a class="button plain" href="${pageUrl(space.slug, path)}">${t('Cancel')}</a>
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
    t('Move {name}', { name: path }),
    html`<div class="screen narrow">
<h1>${t('Move or rename a folder')}</h1>
<p>${t(
      'All pages and files in {folder} move. They keep their history and properties. ' +
        'Their old URLs redirect to the new ones.',
      { folder: html`<code>${path}</code>` },
    )}</p>
${moveForm(view, {
  action: moveFolderUrl(space.slug, path),
  cancel: browseUrl(space.slug, `${path}/`),
  update: t('Update links to these pages where you can edit'),
})}
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
    t('Delete {name}', { name: path }),
    html`<div class="screen narrow">
<h1>${t('Delete this folder?')}</h1>
<p>${whatGoes(view)} ${t(
      'An editor can restore each of them with its history and properties. Links to them will be broken.',
    )}</p>
<ul class="rows">${pages
      .slice(0, SHOWN)
      .map(({ path, title }) => html`<li>${title}<br><span class="quiet">${path}</span></li>`)}</ul>
${
  pages.length > SHOWN &&
  html`<p class="quiet">
${t('And {count, plural, one {# more page} other {# more pages}}.', { count: pages.length - SHOWN })}</p>`
}
${
  files.length > 0 &&
  html`<h2>${t('Files')}</h2><ul class="rows">
${files.slice(0, SHOWN).map(({ path }) => html`<li><span class="quiet">${path}</span></li>`)}</ul>`
}
${
  files.length > SHOWN &&
  html`<p class="quiet">
${t('And {count, plural, one {# more file} other {# more files}}.', { count: files.length - SHOWN })}</p>`
}
<form class="form" method="post" action="${deleteFolderUrl(space.slug, path)}">
${CSRF_FIELD}
<div class="buttons">
<button class="button danger" type="submit">${t('Move to trash')}</button>
<a class="button plain" href="${browseUrl(space.slug, `${path}/`)}">${t('Cancel')}</a>
</div>
</form>
</div>`,
  )
}

function whatGoes({ space: { slug, name }, pages, files }: DeleteFolderView): Html {
  const values = { pages: pages.length, files: files.length, space: html`<a href="${browseUrl(slug)}">${name}</a>` }
  if (files.length === 0) {
    return t('{pages, plural, =0 {no pages go} one {# page goes} other {# pages go}} to the trash of {space}.', values)
  }
  if (pages.length === 0)
    return t('{files, plural, one {# file goes} other {# files go}} to the trash of {space}.', values)
  return t(
    '{pages, plural, one {# page} other {# pages}} and {files, plural, one {# file} other {# files}} go to the ' +
      'trash of {space}.',
    values,
  )
}

function folderFrame({ space, path }: Place, title: string, main: Html): Screen {
  return spaceFrame(space, 'Pages', {
    title: `${title} · ${space.name}`,
    crumbs: [{ text: path, href: browseUrl(space.slug, `${path}/`) }],
    path,
    main,
  })
}
