import type { Page } from '../../../content/pages/page.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { starForm, watchForm } from '../favourites/star-view.ts'
import { type Html, html, t } from '../html.ts'
import { emoji } from '../icons.ts'
import { lock } from '../lock.ts'
import { badge, pager } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, deleteFolderUrl, GALLERY, importUrl, moveFolderUrl, newPageUrl, readersUrl } from '../urls.ts'
import { pageTree } from './page-tree.ts'

export interface BrowseView extends Shown {
  readonly space: Space
  readonly pages: List<Page>
  /** The prefix of the listed paths. */
  readonly prefix: string
  /** Undefined for callers without an account. */
  readonly isFavourite: boolean | undefined
  /** Whether the reader watches the space, or the folder of the prefix; undefined as above. */
  readonly isWatched: boolean | undefined
  /** Whether the reader may see who can read a folder. */
  readonly listsReaders: boolean
  readonly restricted: ReadonlySet<string>
}

/** The pages of a space as a tree. */
export function browseScreen(view: BrowseView): Screen {
  const { space, pages, prefix, cursor } = view
  const mayWrite = space.role !== 'viewer'
  const isRoot = prefix === ''
  const folder = prefix.replace(/\/$/, '')
  return spaceFrame(space, 'Pages', {
    title: isRoot ? `${space.name} · Recto` : `${prefix} · ${space.name}`,
    crumbs: isRoot ? [] : [{ text: prefix, href: browseUrl(space.slug, prefix) }],
    main: html`<div class="screen">
<div class="title-row"><div class="named"><h1>
${isRoot ? html`${emoji(space.icon)}${space.name}` : prefix}${
  view.restricted.has(folder) && lock({ space: space.slug, path: folder, isAdmin: space.role === 'admin' })
}</h1>${isRoot && view.isFavourite !== undefined && starForm({ space: space.slug }, view.isFavourite)}${
      view.isWatched !== undefined &&
      watchForm(
        { space: space.slug, ...(isRoot ? { path: undefined } : { path: folder, kind: 'folder' }) },
        view.isWatched,
      )
    }</div>
${pages.items.length > 0 && buttons(view, mayWrite)}</div>
${
  isRoot &&
  html`<p dir="auto">${space.description} ${
    space.kind === 'shared' && space.visibility === 'private' && badge(t('private'))
  }</p>`
}
${(pages.items.length > 0 || !isRoot) && filterForm(space, prefix)}
${
  pages.items.length === 0
    ? emptyText(view, mayWrite)
    : pageTree(pages.items, { ...view, isPart: cursor !== undefined || pages.nextCursor !== null })
}
${pager(browseUrl(space.slug), { prefix: isRoot ? undefined : prefix }, { cursor, nextCursor: pages.nextCursor })}
</div>`,
  })
}

/** The folder of the prefix, if the listing has a page in it. */
function shownFolder({ pages, prefix }: BrowseView): string | undefined {
  const folder = prefix.replace(/\/$/, '')
  return folder !== '' && pages.items.some(({ path }) => path.startsWith(`${folder}/`)) ? folder : undefined
}

function buttons(view: BrowseView, mayWrite: boolean): Html {
  const { space, prefix } = view
  const folder = shownFolder(view)
  const readers = folder !== undefined && view.listsReaders && space.kind === 'shared'
  return html`<p class="buttons">
${
  mayWrite &&
  html`<a class="button" href="${newPageUrl(
    space.slug,
    prefix === '' ? {} : { path: parentFolder(prefix) },
  )}">${t('New page here')}</a>`
}${mayWrite && folder !== undefined && folderButtons(space.slug, folder)}${
  readers && html` <a class="button" href="${readersUrl(space.slug, folder)}">${t('Who can read this')}</a>`
}</p>`
}

function folderButtons(slug: string, folder: string): Html {
  return html` <a class="button" href="${moveFolderUrl(slug, folder)}">${t('Move or rename folder')}</a> <a
    class="button" href="${deleteFolderUrl(slug, folder)}">${t('Delete folder')}</a>`
}

/** The folder of a prefix, which may end within a segment. */
function parentFolder(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/') + 1)
}

function filterForm({ slug }: Space, prefix: string): Html {
  return html`<form class="toolbar" method="get" action="${browseUrl(slug)}" role="search"
    aria-label="${t('Pages by path')}">
<input class="input" dir="auto" type="search" name="prefix" value="${prefix}" aria-label="${t('Path begins with')}"
  placeholder="${t('Path begins with')}" maxlength="1024" autocomplete="off">
<button type="submit" class="button">${t('Show')}</button>
${prefix !== '' && html`<a href="${browseUrl(slug)}">${t('All pages')}</a>`}
</form>`
}

function emptyText({ space, prefix }: BrowseView, mayWrite: boolean): Html {
  if (prefix !== '') {
    return html`<div class="empty"><p>${t('Nothing found under “{prefix}”.', { prefix })}</p>
${
  mayWrite &&
  html`<p><a class="button" href="${newPageUrl(space.slug, { path: prefix })}">${t('Create this page')}</a></p>`
}</div>`
  }
  if (!mayWrite)
    return html`<div class="empty"><h2>${t('No pages yet')}</h2><p>${t('Pages will appear here.')}</p></div>`
  return html`<div class="empty"><h2>${t('No pages yet')}</h2>
<p>${t(
    'Create the first page in Markdown, or import existing ones from Obsidian, Notion, ' +
      'Outline or a folder of Markdown files.',
  )}</p>
<p class="buttons"><a class="button primary" href="${newPageUrl(space.slug)}">${t('Create the first page')}</a> <a
  class="button" href="${importUrl(space.slug)}">${t('Import')}</a></p>
${
  space.kind === 'shared' &&
  html`<p>${t('To start with existing pages, create a space <link>from a template</link>.', {
    link: (text) => html`<a href="${GALLERY}">${text}</a>`,
  })}</p>`
}</div>`
}
