import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { metadataKeys } from '../../../content/metadata/keys.ts'
import { recentPages } from '../../../content/pages/list.ts'
import type { Page } from '../../../content/pages/page.ts'
import type { Hit, SearchResult } from '../../../content/search/schema.ts'
import { type SearchDeps, searchPages } from '../../../content/search/search.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { toStatus } from '../../../platform/http/problems/problem.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { renderChoice } from '../controls.ts'
import { filterFields, warningNotice } from '../filters/fields.ts'
import { addFilters, type FilterRow, filtersIn, filtersJson } from '../filters/state.ts'
import { type Html, type HtmlValue, html, joinList, msg, sentence, t, trusted } from '../html.ts'
import { emoji } from '../icons.ts'
import { pagination } from '../rows.ts'
import { orFormError, parseQuery, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { time } from '../time.ts'
import { browseUrl, FIND, newPageUrl, withQuery } from '../urls.ts'

const NOTHING: SearchResult = { items: [], nextCursor: null }
const PER_PAGE = 20

/** The search page. */
export const findRoutes = registerRoutes<SearchDeps>(
  screenRoute('/find', {
    config: { visitors: ['q', 'space', 'cursor', 'typed'] },
    view: async (request, deps) => {
      const { ctx } = request
      const query = parseQuery(request)
      const q = query.get('q') ?? ''
      const space = query.get('space') || undefined
      const filters = filtersIn(query)
      const cursor = query.get('cursor') ?? undefined
      const json = filtersJson(filters)
      const isVisitor = ctx.actor.visitor !== undefined
      const search = () => {
        const input = {
          q: q.slice(0, 1000),
          limit: PER_PAGE,
          ...(cursor !== undefined && { cursor }),
          asTyped: query.has('typed'),
          ...(space !== undefined && { space: parseSlug(space) }),
          ...(json !== undefined && { filters: json }),
        }
        return searchPages(ctx, input, deps)
      }
      const isEmpty = q.trim() === ''
      const [spaces, keys, recent, found] = await Promise.all([
        listVisibleSpaces(ctx, { limit: MAX_LISTED_SPACES }),
        isVisitor ? undefined : metadataKeys(ctx, { limit: 200 }),
        isEmpty ? recentPages(ctx, { limit: PER_PAGE, templates: 'out' }) : undefined,
        isEmpty ? NOTHING : orFormError(search),
      ])
      const error = found instanceof AppError ? found : undefined
      if (isVisitor && error?.code === 'not_found') throw error // they are sent to sign in
      return findScreen({
        q,
        space,
        filters,
        first: cursor === undefined,
        spaces: spaces.items,
        keys: keys?.items.map(({ key }) => key),
        recent: recent?.items ?? [],
        found: found instanceof AppError ? NOTHING : found,
        error,
      })
    },
  }),
)

interface FindView {
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
function findScreen(view: FindView): Screen {
  const { q } = view
  const isSearch = q.trim() !== ''
  return {
    title: isSearch ? `${q} · ${t('Search')}` : `${t('Search')} · Recto`,
    ...(view.error && { status: toStatus(view.error.code) }),
    sheets: ['data.css'],
    heading: t('Search'),
    main: html`${form(view)}
${isSearch ? results(view) : recentList(view)}`,
  }
}

function form(view: FindView): Html {
  const { q, space, spaces, filters, keys, error } = view
  const without = (index: number) => buildAddress(view, filters.toSpliced(index, 1))
  const isKnown = space === undefined || spaces.some(({ slug }) => slug === space)
  const options = [{ slug: '', name: t('All spaces') }, ...spaces, ...(isKnown ? [] : [{ slug: space, name: space }])]
  return html`<form class="form wide" action="${FIND}">
<div class="find-row">
<div class="suggested">
<input class="input" dir="auto" type="search" name="q" value="${q}" maxlength="1000" aria-label="${t('Search text')}"
  placeholder="${t(
    'Words, "a phrase", -not this',
  )}" autocomplete="off"${keys && trusted(' data-suggest')}${q === '' && trusted(' autofocus')}></div>
${renderChoice(
  'space',
  t('Space'),
  space,
  options.map(({ slug, name }) => [slug, name]),
)}
<button class="button primary">${t('Search')}</button>
</div>
${
  keys &&
  html`<details class="more"${filters.length > 0 && trusted(' open')}><summary>
${filters.length > 0 ? t('Filters ({count})', { count: filters.length }) : t('Filters')}</summary>
${filterFields({ filters, without, keys, error })}
</details>`
}
${operators()}
</form>
${error && html`<p class="notice error" role="alert">${sentence(translateDetail(error.message))}</p>`}`
}

/** What a search may contain in addition to words. */
const OPERATORS = [
  ['"release notes"', msg('exactly these words, in this order')],
  ['-draft', msg('without this word; `-` works before operators, too')],
  ['red OR blue', msg('either word')],
  ['title:setup', msg('a word of the title')],
  ['path:guide/', msg('pages below a path')],
  ['in:docs', msg('one space, by its slug')],
  ['by:"Ann Lee"', msg('created or last changed by a person; `by:me` for yourself')],
  ['after:2026-05-17', msg('last changed since a date; `before:2026-05` until one')],
  ['has:status', msg('pages that have a property')],
  ['trust:verified', msg('verified pages; `trust:person` also those that a person wrote last')],
  ['has:comments', msg('pages with comments; also commented-by:ada')],
] as const

function operators(): Html {
  return html`<details class="more"><summary>${t('Operators')}</summary>
<dl class="operators">${OPERATORS.map(
    ([example, meaning]) => html`<dt><code dir="ltr">${example}</code></dt><dd>${sentence(t(meaning))}</dd>`,
  )}</dl>
</details>`
}

function results(view: FindView): Html {
  const { q, space, found, first, filters, error } = view
  const { nextCursor } = found
  if (found.items.length === 0) {
    if (error) return html``
    return html`${warningNotice(found.warnings)}<div class="empty"><h2>${t('No results')}</h2>
<p>${
      space !== undefined || filters.length > 0
        ? t('Try fewer words, or <link>all spaces without filters</link>.', {
            link: (text) => html`<a href="${withQuery(FIND, new URLSearchParams({ q }))}">${text}</a>`,
          })
        : t('Try fewer words, or another spelling.')
    }</p>
${
  space !== undefined &&
  view.keys &&
  html`<p><a class="button" href="${newPageUrl(space)}">${t('Create a page')}</a></p>`
}</div>`
  }
  return html`${warningNotice(found.warnings)}${interpretation(view)}
${first && html`<p class="quiet">${formatCount(found)}</p>`}
<ol class="hits">${found.items.map(hit)}</ol>
${pagination(
  t('Pages of results'),
  !first && [buildAddress(view, filters), t('First results')],
  nextCursor !== null && [buildAddress(view, filters, { cursor: nextCursor }), t('More results')],
)}`
}

/** A search ends with the first results: it does not know how many there are in all. */
function formatCount({ items, nextCursor }: SearchResult): string {
  const count = items.length
  return nextCursor === null
    ? t('{count, plural, one {# result} other {# results}}', { count })
    : t('The first {count} results', { count })
}

/** How the search differs from what was typed, with a link to the search as typed. */
function interpretation(view: FindView): HtmlValue {
  const { q, filters, found } = view
  const { corrected, relaxed } = found
  if (corrected === undefined && !relaxed) return undefined
  return html`<p class="notice">
${
  corrected !== undefined &&
  html`${t('Results for {words}.', { words: html`<bdi><strong>${corrected}</strong></bdi>` })} `
}${relaxed && html`${t('No page has all words.')} `}<a href="${buildAddress(view, filters, { typed: '1' })}">${t(
    'Search for {words} as typed',
    { words: html`<bdi>${q}</bdi>` },
  )}</a></p>`
}

function hit({ space, path, title, icon, heading, missing = [], alsoIn = [], snippet, updatedAt }: Hit): Html {
  const place = heading === null || heading === title ? '' : html` › ${heading}`
  return html`<li>
<h2><a href="${pageUrl(space, path)}">${emoji(icon)}${title}</a></h2>
<p class="place"><a href="${browseUrl(space)}">${space}</a> / ${path}${place} · ${time(new Date(updatedAt))}</p>
<p dir="auto">${trusted(snippet)}</p>
${
  missing.length > 0 &&
  html`<p class="place">
${t('Without: {words}', { words: joinList(missing.map((word) => html`<s dir="auto">${word}</s>`)) })}</p>`
}
${
  alsoIn.length > 0 &&
  html`<p class="place">
${t('Also in {pages}', {
  pages: joinList(alsoIn.map((other) => html`<a href="${pageUrl(space, other)}">${other}</a>`)),
})}</p>`
}
</li>`
}

function recentList({ recent }: FindView): Html {
  if (recent.length === 0)
    return html`<div class="empty"><p>${t('There are no pages that you can read yet.')}</p></div>`
  return html`<h2>${t('Recent changes')}</h2>
<ul class="rows">${recent.map(
    ({ space, path, title, updatedAt }) =>
      html`<li><a href="${pageUrl(space, path)}">${title}</a> <span
        class="quiet">${space} / ${path} · ${time(new Date(updatedAt))}</span></li>`,
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
