import { pageUrl } from '@recto/contract/page-url.ts'
import type { Reader } from '../../../content/spaces/rules/readers.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, html } from '../html.ts'
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
  return spaceFrame(space, 'Pages', {
    title: `Who can read ${path} · ${space.name}`,
    crumbs: [
      { text: path, href: here },
      { text: 'Who can read this', href: readersUrl(slug, path) },
    ],
    path,
    main: html`<div class="screen narrow">
<h1>Who can read this</h1>
<p>${isPage ? 'The page' : 'The folder'} <a href="${here}"><code dir="auto">${path}</code></a>.</p>
${view.rule !== undefined && decidedBy(view, view.rule)}
${rows(
  'People and agents',
  readers.items.map((reader) => readerRow(reader, view)),
  html`<p>Nobody can read it.</p>`,
)}
${pager(readersUrl(slug, path), {}, { cursor, nextCursor: readers.nextCursor })}
</div>`,
  })
}

/** For admins: the rule, and the way to one of its own. */
function decidedBy({ space: { slug }, path }: ReadersView, rule: string | null): Html {
  const own = rule === path ? undefined : html` <a href="${ruleUrl(slug, path)}">Make a rule for it</a>`
  if (rule === null) return html`<p>No folder rule decides: whoever reads the space reads it.${own}</p>`
  return html`<p>The <a href="${ruleUrl(slug, rule)}">rule of <code dir="auto">${rule}</code></a> decides.${own}</p>`
}

const MAY = {
  viewer: 'reads',
  editor: 'reads and writes',
  admin: 'reads, writes and manages the space',
} as const

function readerRow({ principal, guest, role }: Reader, { rule }: ReadersView): Row {
  return {
    title: personName(principal),
    badges: [guest && badge('guest', 'info')],
    about: html`${MAY[role]}${rule !== undefined && html`: ${why(role, rule)}`}`,
  }
}

function why(role: Reader['role'], rule: string | null): Html {
  if (role === 'admin') return html`admins have access everywhere`
  return rule === null ? html`by the role in the space` : html`by the rule of <code dir="auto">${rule}</code>`
}
