import type { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { counted } from '@recto/lib/text/counted.ts'
import type { Page } from '../../../content/pages/page.ts'
import type { Hit, SearchResult } from '../../../content/search/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { toStatus } from '../../../platform/http/problems/problem.ts'
import { filterFields, warningNotice } from '../filters/fields.ts'
import { addFilters, type FilterRow } from '../filters/state.ts'
import { type Html, type HtmlValue, html, sentence, trusted } from '../html.ts'
import { emoji } from '../icons.ts'
import type { Screen } from '../screen.ts'
import { time } from '../time.ts'
import { browseUrl, FIND, newPageUrl, withQuery } from '../urls.ts'

export interface FindView {
  readonly q: string
  readonly space: string | undefined
  readonly filters: readonly FilterRow[]
  readonly first: boolean
  readonly spaces: readonly Space[]
  /** Absent for callers without an account, who filter by no property and make no page. */
  readonly keys: readonly string[] | undefined
  /** Shown before a search. */
  readonly recent: readonly Page[]
  readonly found: SearchResult
  readonly error: AppError | undefined
}

/** The search screen. Its URL is the search. */
export function findScreen(view: FindView): Screen {
  const { q } = view
  const isSearch = q.trim() !== ''
  return {
    title: isSearch ? `${q} · Search` : 'Search · Recto',
    ...(view.error && { status: toStatus(view.error.code) }),
    sheets: ['data.css'],
    main: html`<div class="screen narrow">
<h1>Search</h1>
${form(view)}
${isSearch ? results(view) : recentList(view)}
</div>`,
  }
}

function form(view: FindView): Html {
  const { q, space, spaces, filters, keys, error } = view
  const without = (index: number) => buildAddress(view, filters.toSpliced(index, 1))
  const isKnown = space === undefined || spaces.some(({ slug }) => slug === space)
  const options = [{ slug: '', name: 'All spaces' }, ...spaces, ...(isKnown ? [] : [{ slug: space, name: space }])]
  return html`<form class="form wide" action="${FIND}">
<div class="find-row">
<div class="suggested"><input class="input" dir="auto" type="search" name="q" value="${q}" maxlength="1000" aria-label="Search text" placeholder="Words, &quot;a phrase&quot;, -not this" autocomplete="off"${keys && trusted(' data-suggest')}${q === '' && trusted(' autofocus')}></div>
<select class="input" name="space" aria-label="Space">${options.map(({ slug, name }) => html`<option value="${slug}"${slug === (space ?? '') && trusted(' selected')}>${name}</option>`)}</select>
<button class="button primary">Search</button>
</div>
${
  keys &&
  html`<details class="more"${filters.length > 0 && trusted(' open')}><summary>Filters${filters.length > 0 && ` (${filters.length})`}</summary>
${filterFields({ filters, without, keys, error })}
</details>`
}
${operators()}
</form>
${error && html`<p class="notice error" role="alert">${sentence(error.message)}</p>`}`
}

/** What a search may contain in addition to words. */
const OPERATORS = [
  ['"release notes"', 'exactly these words, in this order'],
  ['-draft', 'without this word; `-` works before operators, too'],
  ['red OR blue', 'either word'],
  ['title:setup', 'a word of the title'],
  ['path:guide/', 'pages below a path'],
  ['in:docs', 'one space, by its slug'],
  ['by:"Ann Lee"', 'created or last changed by a person; `by:me` for yourself'],
  ['after:2026-05-17', 'last changed since a date; `before:2026-05` until one'],
  ['has:status', 'pages that have a property'],
  ['trust:verified', 'verified pages; `trust:person` also those that a person wrote last'],
  ['has:comments', 'pages with comments; also commented-by:ada'],
] as const

function operators(): Html {
  return html`<details class="more"><summary>Operators</summary>
<dl class="operators">${OPERATORS.map(([example, meaning]) => html`<dt><code dir="ltr">${example}</code></dt><dd>${sentence(meaning)}</dd>`)}</dl>
</details>`
}

function results(view: FindView): Html {
  const { q, space, found, first, filters, error } = view
  if (found.items.length === 0) {
    if (error) return html``
    return html`${warningNotice(found.warnings)}<div class="empty"><h2>No results</h2>
<p>Try fewer words, or ${space !== undefined || filters.length > 0 ? html`<a href="${withQuery(FIND, new URLSearchParams({ q }))}">all spaces without filters</a>` : 'another spelling'}.</p>
${space !== undefined && view.keys && html`<p><a class="button" href="${newPageUrl(space)}">Create a page</a></p>`}</div>`
  }
  return html`${warningNotice(found.warnings)}${interpretation(view)}
${first && html`<p class="quiet">${formatCount(found)}</p>`}
<ol class="hits">${found.items.map(hit)}</ol>
<nav class="pagination" aria-label="Pages of results">
${!first && html`<a class="button" href="${buildAddress(view, filters)}">First results</a>`}
${found.nextCursor !== null && html`<a class="button" rel="next" href="${buildAddress(view, filters, { cursor: found.nextCursor })}">More results</a>`}
</nav>`
}

/** A search ends with the first results: it does not know how many there are in all. */
function formatCount({ items, nextCursor }: SearchResult): string {
  return nextCursor === null ? counted(items.length, 'result') : `The first ${items.length} results`
}

/** How the search differs from what was typed, with a link to the search as typed. */
function interpretation(view: FindView): HtmlValue {
  const { q, filters, found } = view
  const { corrected, relaxed } = found
  if (corrected === undefined && !relaxed) return undefined
  return html`<p class="notice">${corrected !== undefined && html`Results for <bdi><strong>${corrected}</strong></bdi>. `}${relaxed && 'No page has all words. '}<a href="${buildAddress(view, filters, { typed: '1' })}">Search for <bdi>${q}</bdi> as typed</a></p>`
}

function hit({ space, path, title, icon, heading, missing = [], alsoIn = [], snippet, updatedAt }: Hit): Html {
  const place = heading === null || heading === title ? '' : html` › ${heading}`
  return html`<li>
<h2><a href="${pageUrl(space, path)}">${emoji(icon)}${title}</a></h2>
<p class="place"><a href="${browseUrl(space)}">${space}</a> / ${path}${place} · ${time(new Date(updatedAt))}</p>
<p dir="auto">${trusted(snippet)}</p>
${missing.length > 0 && html`<p class="place">Without: ${missing.map((word, index) => html`${index > 0 && ', '}<s dir="auto">${word}</s>`)}</p>`}
${alsoIn.length > 0 && html`<p class="place">Also in ${alsoIn.map((other, index) => html`${index > 0 && ', '}<a href="${pageUrl(space, other)}">${other}</a>`)}</p>`}
</li>`
}

function recentList({ recent }: FindView): Html {
  if (recent.length === 0) return html`<div class="empty"><p>There are no pages that you can read yet.</p></div>`
  return html`<h2>Recent changes</h2>
<ul class="rows">${recent.map(
    ({ space, path, title, updatedAt }) =>
      html`<li><a href="${pageUrl(space, path)}">${title}</a> <span class="quiet">${space} / ${path} · ${time(new Date(updatedAt))}</span></li>`,
  )}</ul>`
}

function buildAddress(
  { q, space }: FindView,
  filters: readonly FilterRow[],
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ q, ...(space !== undefined && { space }) })
  addFilters(query, filters)
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return withQuery(FIND, query)
}
