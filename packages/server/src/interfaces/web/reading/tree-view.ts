import { pageUrl } from '@recto/contract/page-url.ts'
import { toRank } from '../../../access/caller.ts'
import type { DraftRow } from '../../../access/store-drafts.ts'
import type { TitledPage } from '../../../content/pages/titles/titles.ts'
import type { Child, Tree } from '../../../content/pages/tree/children.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { emoji, icon } from '../icons.ts'
import { lock } from '../lock.ts'
import { badge } from '../rows.ts'
import { browseUrl, newPageUrl, spaceUrl, toReviewUrl, withQuery } from '../urls.ts'

/** Longer titles may be cut off in the tree; they are shown in full on hover. */
const MAX_SHORT = 40

interface Shown {
  readonly tree: Tree
  /** Whether the reader may see who can read a page. */
  readonly listsReaders: boolean
  /** Whether the reader is told that a page has a rule of its own. */
  readonly showsLocks: boolean
  /** The current page. */
  readonly page: string | undefined
  /** The change request through which the space is read. */
  readonly changeRequest: number | undefined
  /** What the change request makes of pages; the tree below is of the space without it. */
  readonly drafts?: readonly DraftRow[] | undefined
  /** The number of open change requests of the space. */
  readonly openRequests?: number
}

/** The tree of a space, as a fragment for the island `tree`. */
export function treeView(view: Shown): Html {
  const { slug, name } = view.tree.space
  const { openRequests = 0 } = view
  return html`<div class="tree-head">
<a class="tree-title" href="${spaceUrl(slug)}">${name}</a>${mayWrite(view) && addLink(slug, '', name)}</div>
${
  openRequests > 0 &&
  html`<a class="tree-title" href="${toReviewUrl(slug)}">${t('To review')} <span
    class="badge plain">${openRequests}</span></a>\n`
}<input class="input" type="search" dir="auto" aria-label="${t('Filter pages')}" placeholder="${t('Filter pages')}"
  autocomplete="off" maxlength="300">
<p class="quiet" role="status"></p>
${view.drafts && changedPages(view, view.drafts)}<div class="tree-scroller">
<ul class="tree-list"${mayWrite(view) && trusted(' data-editable')}${
    view.listsReaders && slug !== 'personal' && trusted(' data-readers')
  }>${levelView(view, '')}</ul></div>`
}

/** The pages that the change request makes, changes or deletes. */
function changedPages({ tree: { space }, changeRequest, page }: Shown, drafts: readonly DraftRow[]): Html {
  const items = drafts.map((draft) => {
    const path = draft.path ?? draft.page_path ?? ''
    const title = draft.title ?? (draft.page_title || path)
    const name = html`${title} ${badge(
      draft.is_deleted ? t('deleted') : draft.page_path === null ? t('new') : t('changed'),
    )}`
    const href = withQuery(pageUrl(space.slug, path), { changeRequest })
    return html`<li><div class="row">
${
  draft.is_deleted
    ? html`<s class="quiet">${name}</s>`
    : html`<a href="${href}"${path === page && trusted(' aria-current="page"')}>${name}</a>`
}</div></li>`
  })
  return html`<ul class="changed" aria-label="${t('Changed pages')}">${items}</ul>\n`
}

/** The items of one folder of the tree, and of the loaded folders in it. */
export function levelView(view: Shown, folder: string): Html {
  const level = view.tree.levels.get(folder)
  if (!level) return html``
  const more = (way: 'before' | 'after', name: string | undefined, text: string) =>
    name !== undefined &&
    html`<li class="rest">
<button class="link" type="button" data-folder="${folder}" data-${trusted(way)}="${name}">${text}</button></li>`
  return html`${more(
    'before',
    level.before,
    t('Show earlier'),
  )}${level.items.map((child) => item(view, child))}${more('after', level.after, t('Show more'))}`
}

function item(view: Shown, child: Child): Html {
  const { tree, page } = view
  const { slug } = tree.space
  const { path, name, title, icon: sign, hasChildren, isRestricted } = child
  const text = title ?? name
  const isOpen = hasChildren && tree.levels.has(path)
  const href =
    title === undefined
      ? browseUrl(slug, `${path}/`)
      : withQuery(pageUrl(slug, path), { changeRequest: view.changeRequest })
  const kind = title === undefined ? html` data-folder-only` : undefined
  return html`<li data-path="${path}"${kind}><div class="row"${mayWrite(view) && trusted(' draggable="true"')}>
${
  hasChildren &&
  html`<button class="twist" type="button" aria-expanded="${String(isOpen)}"
    aria-label="${t('Pages in {folder}', { folder: text })}">${icon('chevron')}</button>`
}<a href="${href}"${path === page && trusted(' aria-current="page"')}${
    text.length > MAX_SHORT && html` title="${text}"`
  }>${emoji(sign)}${text}</a>${
    isRestricted && view.showsLocks && lock({ space: slug, path, isAdmin: tree.space.rank >= toRank('admin') })
  }${mayWrite(view) && editing(slug, path, text)}</div>${isOpen && html`<ul>${levelView(view, path)}</ul>`}</li>`
}

function editing(slug: string, path: string, text: string): Html {
  return html`${addLink(slug, path, text)}<button class="act" type="button" aria-haspopup="dialog"
    aria-label="${t('Actions for {page}', { page: text })}">${icon('more')}</button>`
}

function addLink(slug: string, parent: string, text: string): Html {
  return html`<a class="add" href="${newPageUrl(slug, { parent })}"
    aria-label="${t('New page in {folder}', { folder: text })}" title="${t('New page here')}">${icon('plus')}</a>`
}

/** The pages of a space that match the filter, as a list instead of the tree. */
export function matchesView(pages: readonly TitledPage[], changeRequest: number | undefined): Html {
  const items = pages.map(
    ({ title, path, url, icon }) =>
      html`<li><div class="row">
<a href="${withQuery(url, { changeRequest })}">${emoji(icon)}${title}<span class="quiet">${path}</span></a></div></li>`,
  )
  return html`${items}`
}

/** In a preview the tree would change the space itself. */
function mayWrite({ tree: { space }, changeRequest }: Shown): boolean {
  return changeRequest === undefined && space.rank >= toRank('editor')
}
