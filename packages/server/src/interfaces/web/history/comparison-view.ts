import { pageUrl } from '@recto/contract/page-url.ts'
import { toEditor } from '../../../access/authors.ts'
import type { PageRow } from '../../../content/pages/page.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { time } from '../time.ts'
import { historyUrl } from '../urls.ts'
import { blocksView } from './blocks-view.ts'
import type { ComparedRevisions, Difference } from './compare.ts'
import { sourceView } from './source-view.ts'

export interface ComparisonView extends ComparedRevisions {
  readonly page: ScreenPage
  readonly as: 'source' | 'rendered'
}

/** The difference of two versions of a page. */
export function comparisonScreen(view: ComparisonView): Screen {
  const { page, before, after, as, diff } = view
  const versions = { from: before.version, to: after.version }
  return pageFrame(page, 'History', {
    title: `${t('Version {from} to {to} of {title}', { ...versions, title: page.title })} · ${page.spaceName}`,
    sheets: ['history.css'],
    heading: t('Version {from} to {to}', versions),
    actions: html`<nav class="choices" aria-label="${t('How to compare')}">
${way(view, 'source', t('Markdown'))}${way(view, 'rendered', t('Rendered'))}</nav>`,
    column: '',
    main: html`<p class="quiet">${t('of {page}', {
      page: html`<a href="${pageUrl(page.space, page.path)}">${page.title}</a>`,
    })} · <a
  href="${historyUrl(page.space, page.path)}">${t('all versions')}</a></p>
<form class="toolbar" action="${historyUrl(page.space, page.path)}">
<label for="from">${t('From')}</label> <input class="input version" id="from" name="from" type="number" min="1"
  max="${page.version}" value="${before.version}" required>
<label for="to">${t('to')}</label> <input class="input version" id="to" name="to" type="number" min="1"
  max="${page.version}" value="${after.version}" required>
<input type="hidden" name="as" value="${as}"><button class="button">${t('Compare')}</button>
</form>
<div class="sides">${side(view, before)}${side(view, after)}</div>
${differenceView(
  diff,
  t('Version {version}', { version: versions.from }),
  t('Version {version}', { version: versions.to }),
)}`,
  })
}

/** A difference, with the names of both sides. */
export function differenceView(diff: Difference, before: string, after: string): Html {
  return 'source' in diff ? sourceView(diff.source, before, after) : blocksView(diff.blocks)
}

function way({ page, before, after, as }: ComparisonView, to: 'source' | 'rendered', text: string): Html {
  const href = historyUrl(page.space, page.path, { from: before.version, to: after.version, as: to })
  return html`<a class="button small" href="${href}"${as === to && trusted(' aria-current="true"')}>${text}</a>`
}

function side({ page }: ComparisonView, row: PageRow): Html {
  const promote =
    page.proposes &&
    row.version !== page.version &&
    html` <a class="button small" href="${historyUrl(page.space, page.path, {
      promote: row.version,
    })}">${t('Restore this version')}<span class="visually-hidden">: ${t('version {version}', {
      version: row.version,
    })}</span></a>`
  return html`<div class="side">
<p>${t('<link>Version {version}</link>, {time} by {name}', {
    version: row.version,
    time: time(row.updated_at),
    name: authorName(toEditor(row)),
    link: (text) => html`<a href="${pageUrl(page.space, page.path)}?version=${row.version}">${text}</a>`,
  })}</p>
${row.note !== null && html`<p class="quiet">${row.note}</p>`}${promote}
</div>`
}
