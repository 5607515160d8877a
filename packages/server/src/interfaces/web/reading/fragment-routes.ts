import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { reaches } from '../../../access/caller.ts'
import { sendTagged } from '../../../access/entity-tag.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import { readPlaces } from '../../../access/shown-places.ts'
import { countOpen } from '../../../content/change-requests/store.ts'
import { readPageLinks } from '../../../content/links/page-links.ts'
import { readMetadata } from '../../../content/metadata/metadata.ts'
import { listOwnFavourites } from '../../../content/pages/favourites/favourites.ts'
import { readPage } from '../../../content/pages/read.ts'
import { foldTitle } from '../../../content/pages/titles/title-query.ts'
import { findTitles, type TitledPage } from '../../../content/pages/titles/titles.ts'
import { readLevel, readTree } from '../../../content/pages/tree/children.ts'
import { findNeighbours } from '../../../content/pages/tree/neighbours.ts'
import { findOwnUnsaved } from '../../../content/pages/unsaved/unsaved.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { html, t } from '../html.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { sendHtml } from '../screen.ts'
import { inNaturalOrder } from '../spaces/space-cards.ts'
import { editUrl, SIDEBAR_FRAGMENT } from '../urls.ts'
import { neighboursView } from './neighbours-view.ts'
import { panelView } from './panel-view.ts'
import { sidebarView } from './sidebar-view.ts'
import { levelView, matchesView, treeView } from './tree-view.ts'

const BACKLINKS = 10
const MATCHES = 50
const FAVOURITES_SHOWN = 10
/** Of so many spaces, read in one page, so many are shown. */
const SPACES_READ = 200
const SPACES_SHOWN = 12
/** The maximum of folders per request, besides those around the page. */
const MAX_OPEN = 50
const path = text({ maxLength: 1024 })
/** The tree around `page` with the folders in `open`; a part of `folder`; or the pages that match `q`. */
const treeQuery = strictObject({
  page: Type.Optional(path),
  open: Type.Optional(Type.Union([path, Type.Array(path, { maxItems: MAX_OPEN })])),
  folder: Type.Optional(path),
  after: Type.Optional(path),
  before: Type.Optional(path),
  q: Type.Optional(text({ maxLength: 300 })),
})

/** Of the pages found, those whose title and path have all parts of the input; all of them if none has. */
function withAllWords(pages: readonly TitledPage[], q: string): readonly TitledPage[] {
  const parts = foldTitle(q).split(/\s+/)
  const all = pages.filter(({ title, path }) => {
    const text = `${foldTitle(title)} ${foldTitle(path)}`
    return parts.every((part) => text.includes(part))
  })
  return all.length > 0 ? all : pages
}

/** HTML fragments that a page loads after itself, so that the page can be cached. */
export async function fragmentRoutes(app: Server): Promise<void> {
  addSidebar(app)
  addTree(app)
  addNeighbours(app)
  addPanel(app)
}

/** The favourites and spaces in the sidebar. It is the same on every page, and has no form. */
function addSidebar(app: Server): void {
  app.get(SIDEBAR_FRAGMENT, { schema: { hide: true } }, async (request, reply) => {
    const { ctx } = request
    const [favourites, spaces] = await Promise.all([
      listOwnFavourites(ctx, { limit: FAVOURITES_SHOWN }),
      listVisibleSpaces(ctx, { limit: SPACES_READ }),
    ])
    const orderedSpaces = inNaturalOrder(spaces.items)
    const hasMoreSpaces = orderedSpaces.length > SPACES_SHOWN
    const view = { me: ctx.actor, favourites, spaces: orderedSpaces.slice(0, SPACES_SHOWN), hasMoreSpaces }
    return sendTagged(request, reply.type('text/html; charset=utf-8'), sidebarView(view).text)
  })
}

function addTree(app: Server): void {
  app.get(
    '/fragments/tree/:space',
    {
      config: { visitors: ['page', 'open', 'folder', 'after', 'before', 'q'], changeRequest: 'read' },
      schema: { hide: true, params: Type.Object({ space: Type.String() }), querystring: treeQuery },
    },
    async ({ ctx, params, query }, reply) => {
      const space = parseSlug(params.space)
      const { page, q, folder, after = '', before, open = [] } = query
      const listsReaders = !ctx.actor.guest
      const showsLocks = ctx.actor.visitor === undefined
      const changeRequest = ctx.overlay?.number
      if (q !== undefined) {
        const foundTitles = await findTitles(ctx, { q, space, limit: MATCHES })
        return sendHtml(reply, matchesView(withAllWords(foundTitles, q), changeRequest).text)
      }
      if (folder !== undefined) {
        const tree = await readLevel(ctx, { space, folder, after, before })
        return sendHtml(reply, levelView({ tree, page, listsReaders, showsLocks, changeRequest }, folder).text)
      }
      const tree = await readTree(ctx, { space, page, open: [open].flat() })
      const drafts = isOverlaid(ctx) ? (await readPlaces(ctx, tree.space.id)).drafts : undefined
      const openRequests = showsLocks ? await countOpen(ctx.db, tree.space.id) : 0
      return sendHtml(
        reply,
        treeView({ tree, page, listsReaders, showsLocks, changeRequest, openRequests, drafts }).text,
      )
    },
  )
}

function addNeighbours(app: Server): void {
  app.get(
    '/fragments/neighbours/:space/*',
    { config: { visitors: [] }, schema: { hide: true, params: screenParams } },
    async ({ ctx, params }, reply) => {
      const address = screenAddress(params)
      return sendHtml(reply, neighboursView(address.space, await findNeighbours(ctx, address)).text)
    },
  )
}

/** The properties, links and files beside a page. */
function addPanel(app: Server): void {
  app.get('/fragments/panel/:space/*', { schema: { hide: true, params: screenParams } }, async (request, reply) => {
    const address = screenAddress(request.params)
    const [metadata, links, page, ownText] = await Promise.all([
      readMetadata(request.ctx, address),
      readPageLinks(request.ctx, { ...address, limit: BACKLINKS }),
      readPage(request.ctx, { ...address, links: true }),
      findOwnUnsaved(request.ctx, address),
    ])
    const files = page.fileStates.flatMap(([, , file]) => file ?? [])
    const editable = reaches(page.row.rank, 'editor')
    const link = ownText && html`<p><a href="${editUrl(address.space, address.path)}">${t('Unsaved text')}</a></p>`
    const panel = panelView({ ...address, editable, files }, metadata.entries, links)
    return sendHtml(reply, html`${link}${panel}`.text)
  })
}
