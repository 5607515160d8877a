import { type Static, Type } from 'typebox'
import { rankOf } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requirePage } from '../../access/page.ts'
import { requireSpace } from '../../access/space.ts'
import type { ErrorCode } from '../../errors.ts'
import { type PageAddress, pageUrl, parsePagePath, parseSlug } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { text } from '../../http/text.ts'
import { removeLinks, retargetLinks } from '../../lifecycle/retarget-links.ts'
import { brokenLinks, orphans, wantedPages } from '../../links/reports.ts'
import { resolve } from '../../links/resolve.ts'
import { editPage } from '../../pages/edit.ts'
import { suggestPages } from '../../pages/suggest.ts'
import { reportsUrl } from '../addresses.ts'
import { seeOther } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { orError } from '../or-error.ts'
import { sendDocument } from '../screen.ts'
import { type Report, reportDocument } from './report-view.ts'

const shows = Type.Union([Type.Literal('broken'), Type.Literal('orphans'), Type.Literal('wanted')])
const query = Type.Object(
  {
    show: Type.Optional(shows),
    cursor: pagingParameters.cursor,
    done: Type.Optional(
      Type.Union([Type.Literal('retargeted'), Type.Literal('removed'), Type.Literal('linked')]),
    ),
  },
  { additionalProperties: false },
)
const form = Type.Object(
  {
    act: Type.Union([Type.Literal('retarget'), Type.Literal('remove'), Type.Literal('link')]),
    /** The page that is changed. */
    source: text({ maxLength: 1024 }),
    /** What its links lead to. */
    space: Type.Optional(Type.String()),
    path: text({ maxLength: 1024 }),
    to: Type.Optional(text({ maxLength: 2048 })),
  },
  { additionalProperties: false },
)
type Fix = Static<typeof form>

const PER_PAGE = 25
const DONE = { retarget: 'retargeted', remove: 'removed', link: 'linked' } as const
/** Refusals that are told beside the report: what was typed, or the page, is not as it has to be. */
const TOLD: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_path',
  'invalid_slug',
  'not_found',
  'page_moved',
  'page_deleted',
  'edit_not_applicable',
  'payload_too_large',
]

/** Broken links, pages that nothing links to, and missing pages of a space, each with what mends it. */
export async function reportRoutes(app: Server): Promise<void> {
  app.get(
    '/reports/:slug',
    { schema: { hide: true, params: Type.Object({ slug: Type.String() }), querystring: query } },
    async (request, reply) => {
      const { show = 'broken', cursor, done } = request.query
      const report = await readReport(request.ctx, parseSlug(request.params.slug), show, cursor)
      return sendDocument(reply, reportDocument({ ...report, csrf: csrfField(request), done }))
    },
  )

  app.post(
    '/reports/:slug',
    { schema: { hide: true, params: Type.Object({ slug: Type.String() }), body: form } },
    async (request, reply) => {
      const { ctx, body } = request
      const slug = parseSlug(request.params.slug)
      await requireSpace(ctx, slug, 'editor')
      const show = body.act === 'link' ? 'orphans' : 'broken'
      const refusal = await orError(TOLD, () => mend(ctx, slug, body))
      if (!refusal) return seeOther(reply, `${reportsUrl(slug)}?show=${show}&done=${DONE[body.act]}`)
      const report = await readReport(ctx, slug, show, undefined)
      const csrf = csrfField(request)
      return sendDocument(reply, reportDocument({ ...report, csrf, done: undefined, refusal }), 400)
    },
  )
}

async function readReport(
  ctx: Ctx,
  slug: string,
  show: Static<typeof shows>,
  cursor: string | undefined,
): Promise<Report> {
  const space = await requireSpace(ctx, slug, 'viewer')
  const editable = space.rank >= rankOf('editor')
  const asked = { space: slug, limit: PER_PAGE, ...(cursor !== undefined && { cursor }) }
  const common = { space, editable, first: cursor === undefined }
  if (show === 'orphans') return { ...common, show, list: await orphans(ctx, asked) }
  if (show === 'wanted') return { ...common, show, list: await wantedPages(ctx, asked) }
  const list = await brokenLinks(ctx, asked)
  const own = list.items.filter(({ target }) => target.space === space.slug).map(({ target }) => target.path)
  return { ...common, show, list, alike: await suggestPages(ctx, { space: slug, paths: own }) }
}

async function mend(ctx: Ctx, space: string, fix: Fix): Promise<undefined> {
  const page = { space, path: parsePagePath(fix.source) }
  if (fix.act === 'link') return linkFrom(ctx, page, parsePagePath(fix.path))
  const from = { space: parseSlug(fix.space ?? space), path: parsePagePath(fix.path) }
  if (fix.act === 'remove') await removeLinks(ctx, { ...page, from })
  else await retargetLinks(ctx, { ...page, from, to: meant(ctx, page, fix.to ?? '') })
}

/** A page of the space by its path, or any page by its address. */
function meant(ctx: Ctx, source: PageAddress, typed: string): PageAddress {
  const trimmed = typed.trim()
  const isAddress = trimmed.startsWith('/') || /^https?:/i.test(trimmed)
  const address = isAddress ? resolve(trimmed, { ...source, publicOrigin: ctx.publicUrl }) : undefined
  if (address) return address
  return { space: source.space, path: parsePagePath(trimmed) }
}

/** Adds a link to a page at the end of another. */
async function linkFrom(ctx: Ctx, page: PageAddress, path: string): Promise<undefined> {
  const target = await requirePage(ctx, { space: page.space, path }, 'viewer')
  const url = pageUrl(page.space, path).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))
  const title = target.title.replace(/[\\`*_[\]<>&]/g, '\\$&').replace(/\s+/g, ' ')
  await editPage(ctx, {
    ...page,
    edits: [{ op: 'append', text: `\n[${title}](${url})\n` }],
    note: `Links to ${path}`.slice(0, 400).toWellFormed(),
    preconditions: { ifMatch: '*', ifNoneMatch: undefined, required: true },
  })
  return undefined
}
