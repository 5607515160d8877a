import { pageUrl } from '@recto/contract/page-url.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import type { BlamedPage } from '../../../content/pages/blame/schema.ts'
import { type Html, html, t } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName, moment } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { historyUrl } from '../urls.ts'

const MAX_LINES = 10_000

type Range = BlamedPage['lines'][number]

/** The lines of a page, each with the version that changed it last and who wrote that. */
export function blameScreen(view: {
  readonly page: ScreenPage
  readonly blame: BlamedPage
  readonly body: string
}): Screen {
  const { page, blame, body } = view
  const { space, path, title } = page
  const lines = splitLines(body)
  const ranges = blame.lines.filter(({ from }) => from <= MAX_LINES)
  const isCut = blame.truncated || lines.length > MAX_LINES
  return pageFrame(page, 'History', {
    sheets: ['history.css'],
    heading: t('Blame of {title}', { title }),
    column: '',
    main: html`<p class="quiet">${t('Who changed each line of <link>version {version}</link> last', {
      version: blame.version,
      link: (text) => html`<a href="${pageUrl(space, path)}?version=${blame.version}">${text}</a>`,
    })} · <a href="${historyUrl(space, path)}">${t('all versions')}</a></p>
${
  blame.oldest !== null &&
  html`<p class="notice info" role="note">
${t('The page has a long history. Lines without a name are older than version {version}.', {
  version: blame.oldest,
})}</p>`
}
${lines.length === 0 && html`<p class="empty">${t('This version has no lines.')}</p>`}
<div class="blame">${ranges.map((range) =>
      rangeView(page, range, lines.slice(range.from - 1, Math.min(range.to, MAX_LINES))),
    )}</div>
${
  isCut &&
  html`<p class="notice warning">${t('The page has too many lines to show here: only the first are shown.')}</p>`
}`,
  })
}

function rangeView(page: ScreenPage, { from, version, by, at, authors }: Range, lines: readonly string[]): Html {
  const others = authors?.filter(({ id }) => id !== by?.id) ?? []
  const who =
    version === null
      ? t('older')
      : html`<a href="${historyUrl(page.space, page.path, {
          from: Math.max(1, version - 1),
          to: version,
        })}">${t('Version {version}', { version })}</a> ${by && authorName(by)}${others.map(
          (other) => html`, ${authorName(other)}`,
        )} ${at && html`· ${moment(at)}`}`
  return html`<section><p class="quiet">${who}</p>
<ol start="${from}">${lines.map((line) => html`<li dir="auto">${line.replace(/\n$/, '')}</li>`)}</ol></section>
`
}
