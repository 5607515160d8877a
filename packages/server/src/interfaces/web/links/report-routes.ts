import { type PageAddress, parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { urlTarget } from '@recto/lib/attachment.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { toRank } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePage } from '../../../access/page.ts'
import { requireSpace } from '../../../access/space.ts'
import { removeLinks, retargetLinks } from '../../../content/lifecycle/retarget-links.ts'
import { brokenLinks, orphans, wantedPages } from '../../../content/links/reports.ts'
import { resolve } from '../../../content/links/resolve.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { editPage } from '../../../content/pages/edit.ts'
import { suggestPages } from '../../../content/pages/titles/suggest.ts'
import { verificationReport } from '../../../content/pages/verification/report.ts'
import { REPORTED_STATUSES, type ReportedStatus } from '../../../content/pages/verification/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { formRoute, screenRoute } from '../screen.ts'
import { reportsUrl } from '../urls.ts'
import { type Report, reportScreen } from './report-view.ts'

const shows = enumSchema(['broken', 'orphans', 'wanted', 'verification'])
const query = strictObject({
  show: Type.Optional(shows),
  status: Type.Optional(enumSchema(REPORTED_STATUSES)),
  cursor: pagingParameters.cursor,
  done: Type.Optional(enumSchema(['retargeted', 'removed', 'linked'])),
})
const form = strictObject({
  act: enumSchema(['retarget', 'remove', 'link']),
  /** The page that is changed. */
  source: text({ maxLength: 1024 }),
  /** The target of its links. */
  space: Type.Optional(Type.String()),
  path: text({ maxLength: 1024 }),
  to: Type.Optional(text({ maxLength: 2048 })),
})
type Fix = Static<typeof form>

const PER_PAGE = 25
const DONE = { retarget: 'retargeted', remove: 'removed', link: 'linked' } as const

type ReportRequest = FastifyRequest<{ Params: { slug: string } }>

/** Broken links, orphans, wanted pages and the verification of a space, and the forms that fix them. */
export const reportRoutes = registerRoutes(
  screenRoute('/reports/:slug', {
    query,
    view: async (request) => {
      const { show = 'broken', status, cursor, done } = request.query
      const report = await readReport(request, { show, status }, cursor)
      return reportScreen({ ...report, done })
    },
  }),
  formRoute('/reports/:slug', {
    body: form,
    act: async ({ ctx, params, body }) => {
      const slug = parseSlug(params.slug)
      await requireSpace(ctx, slug, 'viewer')
      await fixLink(ctx, slug, body)
      return reportsUrl(slug, { show: fixReport(body), done: DONE[body.act] })
    },
    view: async (request, { error }) => {
      const report = await readReport(request, { show: fixReport(request.body) }, undefined)
      return reportScreen({ ...report, done: undefined, error })
    },
  }),
)

/** The report that the form is on. */
function fixReport({ act }: Fix) {
  return act === 'link' ? 'orphans' : 'broken'
}

async function readReport(
  { ctx, params }: ReportRequest,
  { show, status = 'changed' }: { readonly show: Static<typeof shows>; readonly status?: ReportedStatus | undefined },
  cursor: string | undefined,
): Promise<Report> {
  const slug = parseSlug(params.slug)
  const space = await requireSpace(ctx, slug, 'viewer')
  const editable = space.rank >= toRank('editor')
  const page = { space: slug, limit: PER_PAGE, ...(cursor !== undefined && { cursor }) }
  const common = { space, editable, first: cursor === undefined }
  if (show === 'orphans') return { ...common, show, list: await orphans(ctx, { ...page, templates: 'out' }) }
  if (show === 'wanted') return { ...common, show, list: await wantedPages(ctx, page) }
  if (show === 'verification')
    return { ...common, show, status, list: await verificationReport(ctx, { ...page, status }) }
  const list = await brokenLinks(ctx, page)
  const own = list.items
    .filter(({ kind, target }) => kind === 'page' && target.space === space.slug)
    .map(({ target }) => target.path)
  return { ...common, show, list, alike: await suggestPages(ctx, { space: slug, paths: own }) }
}

async function fixLink(ctx: PagesCtx, space: string, fix: Fix): Promise<undefined> {
  const page = { space, path: parsePagePath(fix.source) }
  if (fix.act === 'link') return linkFrom(ctx, page, parsePagePath(fix.path))
  const from = { space: parseSlug(fix.space ?? space), path: parsePagePath(fix.path) }
  if (fix.act === 'remove') await removeLinks(ctx, { ...page, from })
  else await retargetLinks(ctx, { ...page, from, to: parseTarget(ctx, page, fix.to ?? '') })
}

/** A page of the space by its path, or any page by its URL. */
function parseTarget(ctx: Ctx, source: PageAddress, typedText: string): PageAddress {
  const trimmedText = typedText.trim()
  const isUrl = trimmedText.startsWith('/') || /^https?:/i.test(trimmedText)
  const address = isUrl ? resolve(trimmedText, { ...source, publicOrigin: ctx.config.publicUrl }) : undefined
  if (address) return address
  return { space: source.space, path: parsePagePath(trimmedText) }
}

/** Adds a link to a page at the end of another. */
async function linkFrom(ctx: PagesCtx, page: PageAddress, path: string): Promise<undefined> {
  const target = await requirePage(ctx, { space: page.space, path }, 'viewer')
  const url = urlTarget(pageUrl(page.space, path))
  const title = target.title.replace(/[\\`*_[\]<>&]/g, '\\$&').replace(/\s+/g, ' ')
  await editPage(ctx, {
    ...page,
    edits: [{ op: 'append', text: `\n[${title}](${url})\n` }],
    note: `Links to ${path}`.slice(0, 400).toWellFormed(),
    preconditions: { ifMatch: '*', ifNoneMatch: undefined, required: true },
  })
  return undefined
}
