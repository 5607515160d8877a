import { pageUrl } from '@recto/contract/page-url.ts'
import type { Reader } from '../../../content/spaces/rules/readers.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, type HtmlValue, html, msg, t } from '../html.ts'
import { badge, pager, personName, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { browseUrl, readersUrl, ruleUrl } from '../urls.ts'

export interface ReadersView {
  readonly space: Space
  readonly path: string
  /** Whether there is a page; else it is a folder. */
  readonly isPage: boolean
  readonly readers: List<Reader>
  readonly cursor?: string | undefined
  /** What decides, for admins of the space: the folder of the rule, or null without one. */
  readonly rule?: string | null | undefined
}

/** Who can read a page or a folder, and what else they may do there. */
export function readersScreen(view: ReadersView): Screen {
  const { space, path, isPage, readers, cursor } = view
  const { slug } = space
  const here = isPage ? pageUrl(slug, path) : browseUrl(slug, `${path}/`)
  const place = html`<a href="${here}"><code dir="auto">${path}</code></a>`
  return spaceFrame(space, 'Pages', {
    title: `${t('Who can read {path}', { path })} · ${space.name}`,
    crumbs: [
      { text: path, href: here },
      { text: t('Who can read this'), href: readersUrl(slug, path) },
    ],
    path,
    heading: t('Who can read this'),
    main: html`<p>${isPage ? t('The page {path}.', { path: place }) : t('The folder {path}.', { path: place })}</p>
${view.rule !== undefined && decidedBy(view, view.rule)}
${rows(
  t('People and agents'),
  readers.items.map((reader) => readerRow(reader, view)),
  html`<p>${t('Nobody can read it.')}</p>`,
)}
${pager(readersUrl(slug, path), {}, { cursor, nextCursor: readers.nextCursor })}`,
  })
}

/** For admins: the rule, and the way to one of its own. */
function decidedBy({ space: { slug }, path }: ReadersView, rule: string | null): Html {
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

function readerRow({ principal, guest, role }: Reader, { rule }: ReadersView): Row {
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
