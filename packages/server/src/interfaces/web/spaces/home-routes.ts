import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import { type Actor, isOrgAdmin } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { findReadablePage } from '../../../access/page.ts'
import { listOwnFavourites } from '../../../content/pages/favourites/favourites.ts'
import { recentPages } from '../../../content/pages/list.ts'
import type { Page } from '../../../content/pages/page.ts'
import { START_PAGES } from '../../../content/pages/tree/order.ts'
import { listOwnUnsaved } from '../../../content/pages/unsaved/unsaved.ts'
import { ASKED } from '../../../content/spaces/requests/requests.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces, mayMakeSpaces, readSpace } from '../../../content/spaces/space.ts'
import { dismissStep, openSteps } from '../../../identity/people/first-steps.ts'
import type { Db } from '../../../platform/database/database.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { findText, msg } from '../html.ts'
import { formRoute, screenRoute } from '../screen.ts'
import { browseUrl, HOME } from '../urls.ts'
import { webhookNotice } from '../webhook-notice.ts'
import { homeScreen } from './home-view.ts'
import { inNaturalOrder, type SpaceActions, spacesScreen } from './space-cards.ts'

const { cursor } = pagingParameters
const homeQuery = strictObject({ done: Type.Optional(Type.String()) })
const spacesQuery = strictObject({ cursor, name: Type.Optional(text({ maxLength: 200 })) })

const DONE: Readonly<Record<string, string>> = { 'space-deleted': msg('The space was deleted.'), asked: ASKED }

/** Of the latest changes so many are read, and so many of others and of the reader shown. */
const RECENT_READ = 100
const RECENT_SHOWN = 10
const FAVOURITES_SHOWN = 12
const UNSAVED_SHOWN = 6
/** More spaces than these would push the recent changes out of sight. */
const SPACES_SHOWN = 8
const SPACES_READ = 200

/** The start screen, and the list of all spaces. */
export const homeRoutes = registerRoutes<{ readonly db: Db }>(
  screenRoute('/', {
    query: homeQuery,
    config: { visitors: [] },
    view: async (request, { db }) => {
      const { ctx, query } = request
      if (ctx.actor.visitor !== undefined) return publicSpaces(ctx)
      const [spaces, favourites, unsaved, recent, warning] = await Promise.all([
        listVisibleSpaces(ctx, { limit: SPACES_READ }),
        listOwnFavourites(ctx, { limit: FAVOURITES_SHOWN }),
        listOwnUnsaved(ctx),
        recentPages(ctx, { limit: RECENT_READ, templates: 'out' }),
        webhookNotice(ctx),
      ])
      const isOwn = (author: Actor | undefined) => author?.id === ctx.actor.id
      const progress = {
        hasSpace: spaces.items.some(({ kind }) => kind === 'shared'),
        hasWritten: recent.items.some(({ createdBy, updatedBy }) => isOwn(createdBy) || isOwn(updatedBy)),
      }
      return homeScreen({
        spaces: activeFirst(inNaturalOrder(spaces.items), recent.items).slice(0, SPACES_SHOWN),
        hasMoreSpaces: spaces.items.length > SPACES_SHOWN,
        favourites,
        unsaved: unsaved.slice(0, UNSAVED_SHOWN),
        recent: {
          others: recent.items.filter(({ updatedBy }) => !isOwn(updatedBy)).slice(0, RECENT_SHOWN),
          own: recent.items.filter(({ updatedBy }) => isOwn(updatedBy)).slice(0, RECENT_SHOWN),
        },
        steps: await openSteps(ctx, db, progress),
        ...spaceActions(ctx),
        warning,
        done: findText(DONE, query.done),
      })
    },
  }),
  screenRoute('/all-spaces', {
    query: spacesQuery,
    config: { visitors: ['cursor', 'name'] },
    view: async ({ ctx, query }) => {
      const spaces = await listVisibleSpaces(ctx, { limit: SPACES_READ, ...query })
      return spacesScreen({ spaces, ...query, ...spaceActions(ctx) })
    },
  }),
  (app) =>
    app.get<{ Params: { slug: string } }>(
      '/open/:slug',
      { config: { visitors: [] }, schema: { hide: true } },
      async (request, reply) => {
        const { ctx, params } = request
        const space = parseSlug(params.slug)
        await readSpace(ctx, space)
        const path = await startPage(ctx, space)
        return reply.redirect(path === undefined ? browseUrl(space) : pageUrl(space, path), 303)
      },
    ),
  formRoute('/steps/:step/dismiss', {
    act: async ({ ctx, params }) => {
      await dismissStep(ctx, params.step)
      return HOME
    },
  }),
)

/** The start screen of callers without an account: without public spaces it is the sign-in. */
async function publicSpaces(ctx: Ctx) {
  const spaces = await listVisibleSpaces(ctx, { limit: SPACES_READ })
  if (spaces.items.length === 0) throw new AppError('not_found', 'There are no public spaces.')
  return spacesScreen({ spaces, ...spaceActions(ctx) })
}

function spaceActions({ actor }: Ctx): SpaceActions {
  return { mayMakeSpaces: mayMakeSpaces(actor), mayInvite: isOrgAdmin(actor) }
}

/**
 * Of many spaces: the reader's own, then those with the latest changes, then the others. Few spaces keep their order,
 * so that each stays in its place.
 */
function activeFirst(spaces: readonly Space[], recent: readonly Page[]): readonly Space[] {
  if (spaces.length <= SPACES_SHOWN) return spaces
  const ranks = new Map([...new Set(recent.map(({ space }) => space))].map((slug, rank) => [slug, rank]))
  const getRank = ({ kind, slug }: Space) => (kind === 'personal' ? -1 : (ranks.get(slug) ?? ranks.size))
  return spaces.toSorted((one, other) => getRank(one) - getRank(other))
}

async function startPage(ctx: Ctx, space: string): Promise<string | undefined> {
  const pages = await Promise.all(START_PAGES.map((path) => findReadablePage(ctx, { space, path })))
  return pages.find((page) => page !== undefined)?.path
}
