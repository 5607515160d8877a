import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { auditLog } from '../../access/audit.ts'
import { requireOrgAdmin } from '../../access/caller.ts'
import { parseSlug } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { beginRebuild, readRebuild, recentRebuilds } from '../../links/rebuild.ts'
import type { Rebuilder } from '../../links/rebuilder.ts'
import { spacesOf } from '../../spaces/space.ts'
import { csrfField } from '../forms.ts'
import { type Attempt, fieldsSchema, type Screen, sendScreen, submitForm, textOf } from '../screen.ts'
import { webhookNotice } from '../webhook-notice.ts'
import { auditScreen } from './audit-view.ts'
import { linksScreen, rebuildScreen } from './links-view.ts'
import { overviewScreen } from './overview-view.ts'
import { manageSpacesScreen } from './spaces-view.ts'

export interface ManageOptions {
  readonly rebuilder: Pick<Rebuilder, 'wake'>
}

const word = Type.Optional(Type.String({ maxLength: 8192 }))
const cursorQuery = Type.Object({ cursor: pagingParameters.cursor }, { additionalProperties: false })
const auditQuery = Type.Object(
  { actor: word, action: word, target: word, since: word, until: word, cursor: word },
  { additionalProperties: false },
)
const DAY_MS = 24 * 3600_000

/** Where administration begins, and what of it needs no forms of its own. */
export async function manageRoutes(app: Server, { rebuilder }: ManageOptions): Promise<void> {
  app.get('/admin', { schema: { hide: true } }, async (request, reply) => {
    requireOrgAdmin(request.ctx)
    return reply.redirect('/manage', 303)
  })

  app.get('/manage', { schema: { hide: true } }, async (request, reply) => {
    requireOrgAdmin(request.ctx)
    return sendScreen(reply, overviewScreen(await webhookNotice(request.ctx)))
  })

  app.get('/manage/spaces', { schema: { hide: true, querystring: cursorQuery } }, async (request, reply) => {
    requireOrgAdmin(request.ctx)
    const spaces = await spacesOf(request.ctx, { limit: 100, ...request.query })
    return sendScreen(reply, manageSpacesScreen({ spaces, ...request.query }))
  })

  app.get('/manage/audit', { schema: { hide: true, querystring: auditQuery } }, async (request, reply) => {
    // An empty field of the form is no filter.
    const given = Object.fromEntries(Object.entries(request.query).filter(([, value]) => value !== ''))
    const { since, until, ...rest } = given
    const asked = {
      ...rest,
      ...(since !== undefined && { since: `${since}T00:00:00Z` }),
      ...(until !== undefined && { until: dayAfter(until) }),
    }
    const entries = await auditLog(request.ctx, asked)
    const { cursor, ...filters } = given
    return sendScreen(reply, auditScreen({ entries, filters, cursor }))
  })

  app.get('/manage/links', { schema: { hide: true } }, async (request, reply) =>
    sendScreen(reply, await links(request)),
  )

  app.post('/manage/links', { schema: { hide: true, body: fieldsSchema } }, async (request, reply) =>
    submitForm(request, reply, {
      act: async () => {
        const slug = textOf(request.body, 'space').trim()
        const of = slug === '' ? {} : { space: parseSlug(slug) }
        return `/manage/links/${await beginRebuild(request.ctx, rebuilder, of)}`
      },
      again: (attempt) => links(request, attempt),
    }),
  )

  app.get(
    '/manage/links/:id',
    { schema: { hide: true, params: Type.Object({ id: Type.String() }) } },
    async (request, reply) =>
      sendScreen(reply, rebuildScreen(await readRebuild(request.ctx, request.params.id))),
  )
}

async function links(request: FastifyRequest, attempt?: Attempt): Promise<Screen> {
  const rebuilds = await recentRebuilds(request.ctx)
  return linksScreen({ rebuilds, csrf: csrfField(request), attempt })
}

/** The end of a day, as the log's filter takes it; what is no day is left for the filter to refuse. */
function dayAfter(day: string): string {
  const from = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(from) ? day : new Date(from + DAY_MS).toISOString()
}
