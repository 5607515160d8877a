import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { isWatching } from '../../../content/notifications/watches.ts'
import { isFavourite } from '../../../content/pages/favourites/favourites.ts'
import { pagesOfSpace } from '../../../content/pages/list.ts'
import { listRestricted } from '../../../content/spaces/rules/readers.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { starForm, watchForm } from '../favourites/star-view.ts'
import { type Html, html, t } from '../html.ts'
import { emoji } from '../icons.ts'
import { lock } from '../lock.ts'
import { badge, pager } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, deleteFolderUrl, GALLERY, importUrl, moveFolderUrl, newPageUrl, readersUrl } from '../urls.ts'
import { pageTree } from './page-tree.ts'

const query = strictObject({ cursor: pagingParameters.cursor, prefix: Type.Optional(text({ maxLength: 1024 })) })

/** The pages of a space as a tree. */
export const browseRoutes = registerRoutes(
  screenRoute('/browse/:slug', {
    query,
    config: { visitors: ['cursor', 'prefix'] },
    view: async ({ ctx, params, query }) => {
      const slug = parseSlug(params.slug)
      const { prefix = '', ...paging } = query
      const { cursor } = paging
      const isVisitor = ctx.actor.visitor !== undefined
      const isRoot = prefix === ''
      const folder = prefix.replace(/\/$/, '')
      const [space, pages, restricted, toggles] = await Promise.all([
        readSpace(ctx, slug),
        pagesOfSpace(ctx, { space: slug, limit: 200, prefix, ...paging }),
        isVisitor ? new Set<string>() : listRestricted(ctx, slug),
        isVisitor ? '' : readToggles(ctx, slug, folder),
      ])
      const hasPages = folder !== '' && pages.items.some(({ path }) => path.startsWith(`${folder}/`))
      return spaceFrame(space, 'Pages', {
        title: isRoot ? `${space.name} · Recto` : `${prefix} · ${space.name}`,
        crumbs: isRoot ? [] : [{ text: prefix, href: browseUrl(space.slug, prefix) }],
        main: html`<div class="screen">
<div class="title-row"><div class="named"><h1>
${isRoot ? html`${emoji(space.icon)}${space.name}` : prefix}${
  restricted.has(folder) && lock({ space: slug, path: folder, isAdmin: space.role === 'admin' })
}</h1>${toggles}</div>
${pages.items.length > 0 && buttons(space, prefix, hasPages ? folder : undefined, !ctx.actor.guest)}</div>
${isRoot && about(space)}
${(pages.items.length > 0 || !isRoot) && filterForm(space, prefix)}
${
  pages.items.length === 0
    ? emptyText(space, prefix)
    : pageTree(pages.items, { space, restricted, isPart: cursor !== undefined || pages.nextCursor !== null })
}
${pager(browseUrl(space.slug), { prefix: isRoot ? undefined : prefix }, { cursor, nextCursor: pages.nextCursor })}
</div>`,
      })
    },
  }),
)

function about({ description, kind, visibility }: Space): Html {
  return html`<p dir="auto">${description} ${kind === 'shared' && visibility === 'private' && badge(t('private'))}</p>`
}

/** The star of the space, and whether the reader watches it, or the folder. */
async function readToggles(ctx: Ctx, space: string, folder: string): Promise<Html> {
  if (folder !== '') {
    const address = { space, path: folder, kind: 'folder' as const }
    return watchForm(address, await isWatching(ctx, address))
  }
  const address = { space, path: undefined }
  const [isStarred, isWatched] = await Promise.all([isFavourite(ctx, address), isWatching(ctx, address)])
  return html`${starForm(address, isStarred)}${watchForm(address, isWatched)}`
}

/** @param folder The folder of the prefix, if the listing has a page in it. */
function buttons(space: Space, prefix: string, folder: string | undefined, listsReaders: boolean): Html {
  const mayWrite = space.role !== 'viewer'
  const readers = folder !== undefined && listsReaders && space.kind === 'shared'
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

function emptyText(space: Space, prefix: string): Html {
  const mayWrite = space.role !== 'viewer'
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
