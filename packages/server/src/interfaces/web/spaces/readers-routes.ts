import { pageUrl } from '@recto/contract/page-url.ts'
import { findReadablePage } from '../../../access/page.ts'
import { listReadersAt, type Reader } from '../../../content/spaces/rules/readers.ts'
import { findNearestRule } from '../../../content/spaces/rules/rules.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { type Html, type HtmlValue, html, msg, t } from '../html.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { badge, pager, personName, type Row, rows } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, readersUrl, ruleUrl } from '../urls.ts'

const READERS_PER_SCREEN = 50

/** Who can read a page or a folder. Guests are not told. */
export const readersRoutes = registerRoutes(
  screenRoute('/readers/:space/*', {
    params: screenParams,
    query: strictObject({ cursor: pagingParameters.cursor }),
    view: async ({ ctx, params, query: { cursor } }) => {
      const { space: slug, path } = screenAddress(params)
      const paging = { limit: READERS_PER_SCREEN, ...(cursor !== undefined && { cursor }) }
      const readers = await listReadersAt(ctx, { space: slug, path, ...paging })
      const [space, page] = await Promise.all([readSpace(ctx, slug), findReadablePage(ctx, { space: slug, path })])
      // What decides, for admins of the space: the folder of the rule, or null without one.
      const rule =
        space.role === 'admin'
          ? ((await findNearestRule(ctx, { space: slug, prefix: path }))?.prefix ?? null)
          : undefined
      const here = page ? pageUrl(slug, path) : browseUrl(slug, `${path}/`)
      const place = html`<a href="${here}"><code dir="auto">${path}</code></a>`
      return spaceFrame(space, 'Pages', {
        title: `${t('Who can read {path}', { path })} · ${space.name}`,
        crumbs: [
          { text: path, href: here },
          { text: t('Who can read this'), href: readersUrl(slug, path) },
        ],
        path,
        heading: t('Who can read this'),
        main: html`<p>${page ? t('The page {path}.', { path: place }) : t('The folder {path}.', { path: place })}</p>
${rule !== undefined && decidedBy(slug, path, rule)}
${rows(
  t('People and agents'),
  readers.items.map((reader) => readerRow(reader, rule)),
  html`<p>${t('Nobody can read it.')}</p>`,
)}
${pager(readersUrl(slug, path), {}, { cursor, nextCursor: readers.nextCursor })}`,
      })
    },
  }),
)

/** For admins: the rule, and the way to one of its own. */
function decidedBy(slug: string, path: string, rule: string | null): Html {
  const own = rule === path ? undefined : html` <a href="${ruleUrl(slug, path)}">${t('Make a rule for it')}</a>`
  if (rule === null) return html`<p>${t('No folder rule decides: whoever reads the space reads it.')}${own}</p>`
  return html`<p>${t('The <link>rule of {folder}</link> decides.', {
    folder: html`<code dir="auto">${rule}</code>`,
    link: (text) => html`<a href="${ruleUrl(slug, rule)}">${text}</a>`,
  })}${own}</p>`
}

const MAY = {
  viewer: msg('reads'),
  editor: msg('reads and writes'),
  admin: msg('reads, writes and manages the space'),
} as const

function readerRow({ principal, guest, role }: Reader, rule: string | null | undefined): Row {
  return {
    title: personName(principal),
    badges: [guest && badge(t('guest'), 'info')],
    about:
      rule === undefined
        ? t(MAY[role])
        : t('{rights}: {reason}', { rights: t(MAY[role]), reason: explainRole(role, rule) }),
  }
}

function explainRole(role: Reader['role'], rule: string | null): HtmlValue {
  if (role === 'admin') return t('admins have access everywhere')
  if (rule === null) return t('by the role in the space')
  return t('by the rule of {folder}', { folder: html`<code dir="auto">${rule}</code>` })
}
