import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requireOrgAdmin } from '../../../access/caller.ts'
import { beginRebuild, readRebuildProgress, recentRebuilds } from '../../../content/links/rebuild.ts'
import type { Rebuilder } from '../../../content/links/rebuilder.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { auditLog } from '../../../identity/principals/audit.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { readText } from '../fields.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { spaceChoices } from '../space-field.ts'
import { ADMIN, adminUrl } from '../urls.ts'
import { webhookNotice } from '../webhook-notice.ts'
import { auditScreen } from './audit-view.ts'
import { linksScreen, rebuildScreen } from './links-view.ts'
import { overviewScreen } from './overview-view.ts'
import { adminSpacesScreen } from './spaces-view.ts'

export interface AdminOptions {
  readonly rebuilder: Pick<Rebuilder, 'wake'>
}

const field = Type.Optional(Type.String({ maxLength: 8192 }))
const spacesQuery = strictObject({ cursor: pagingParameters.cursor, name: Type.Optional(text({ maxLength: 200 })) })
const auditQuery = strictObject({
  actor: field,
  action: field,
  target: field,
  since: field,
  until: field,
  cursor: field,
})
const DAY_MS = 24 * 3600_000

/** The overview of the administration, and its screens of spaces, the audit log and the link index. */
export const adminScreenRoutes = registerRoutes<AdminOptions>(
  (app) =>
    app.get('/admin', { schema: { hide: true } }, async (request, reply) => {
      requireOrgAdmin(request.ctx)
      return reply.redirect(ADMIN, 303)
    }),
  screenRoute('/manage', {
    view: async ({ ctx }) => {
      requireOrgAdmin(ctx)
      return overviewScreen(await webhookNotice(ctx))
    },
  }),
  screenRoute('/manage/spaces', {
    query: spacesQuery,
    view: async ({ ctx, query }) => {
      requireOrgAdmin(ctx)
      const spaces = await listVisibleSpaces(ctx, { limit: 100, ...query })
      return adminSpacesScreen({ spaces, ...query })
    },
  }),
  screenRoute('/manage/audit', {
    query: auditQuery,
    view: async ({ ctx, query }) => {
      // An empty field of the form is no filter.
      const filterValues = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
      const { since, until, ...rest } = filterValues
      const entries = await auditLog(ctx, {
        ...rest,
        ...(since !== undefined && { since: `${since}T00:00:00Z` }),
        ...(until !== undefined && { until: dayAfter(until) }),
      })
      const { cursor, ...filters } = filterValues
      return auditScreen({ entries, filters, cursor })
    },
  }),
  screenRoute('/manage/links', { view: (request) => links(request) }),
  formRoute('/manage/links', {
    act: async ({ ctx, body }, { rebuilder }) => {
      const slug = readText(body, 'space').trim()
      const scope = slug === '' ? {} : { space: parseSlug(slug) }
      return adminUrl('links', await beginRebuild(ctx, rebuilder, scope))
    },
    view: links,
  }),
  screenRoute('/manage/links/:id', {
    view: async ({ ctx, params }) => rebuildScreen(await readRebuildProgress(ctx, params.id)),
  }),
)

async function links(request: FastifyRequest, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const [rebuilds, spaces] = await Promise.all([recentRebuilds(ctx), spaceChoices(ctx)])
  return linksScreen({ rebuilds, spaces, failed })
}

/** The end of a day, for the filter of the audit log, which rejects invalid days. */
function dayAfter(day: string): string {
  const from = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(from) ? day : new Date(from + DAY_MS).toISOString()
}
