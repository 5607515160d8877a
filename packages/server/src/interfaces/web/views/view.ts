import type { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { FoundPage } from '../../../content/metadata/schema.ts'
import type { FoundPages } from '../../../content/metadata/search.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { toStatus } from '../../../platform/http/problems/problem.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { filterChips, filterFields, warningNotice } from '../filters/fields.ts'
import { type Html, html, sentence, t, trusted } from '../html.ts'
import { pagination } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceCrumb, spaceTabs } from '../tabs.ts'
import { browseUrl, metadataUrl, VIEWS, viewsUrl, withQuery } from '../urls.ts'
import { valueView } from './cells.ts'
import { MAX_ORDERS, ordered, type ViewState, viewQuery } from './state.ts'

export interface View {
  readonly state: ViewState
  /** Absent: all spaces. */
  readonly space: Space | undefined
  readonly spaces: readonly Space[]
  /** Keys in use, the most used first. */
  readonly keys: readonly string[]
  readonly columns: readonly string[]
  readonly found: FoundPages
  readonly error: AppError | undefined
  readonly origin: string
}

const OFFERED_COLUMNS = 30

/** A table over metadata, with its filters, columns and order. */
export function viewScreen(view: View): Screen {
  const { space, found, error } = view
  return {
    title: `${t('Views')} · ${space?.name ?? t('All spaces')}`,
    crumbs: space ? [spaceCrumb(space, browseUrl(space.slug))] : [{ text: t('All spaces'), href: VIEWS }],
    ...(space && { tabs: spaceTabs(space.slug, 'Views'), space: space.slug }),
    ...(error && { status: toStatus(error.code) }),
    sheets: ['data.css'],
    heading: space ? t('{space}: views', { space: space.name }) : t('Views of all spaces'),
    actions:
      found.items.length > 0 &&
      html`<a class="button" href="${buildAddress(view, view.state, 'csv')}" download>${t('Download as CSV')}</a>`,
    column: 'wide',
    main: html`${settings(view)}
${error && html`<p class="notice error" role="alert">${sentence(translateDetail(error.message))}</p>`}
${warningNotice(found.warnings)}
${found.items.length > 0 ? table(view) : !error && empty(view)}`,
  }
}

function settings(view: View): Html {
  const { state, space, spaces, keys, columns, error } = view
  const without = (index: number) =>
    buildAddress(view, { ...state, filters: state.filters.toSpliced(index, 1), cursor: undefined })
  const offeredKeys = [...new Set([...columns, ...keys.slice(0, OFFERED_COLUMNS)])]
  return html`<nav class="toolbar" aria-label="${t('Spaces')}"><span class="quiet">${t('Space:')}</span>
<details class="menu"><summary class="button small">${space?.name ?? t('All spaces')}</summary><ul class="items start">
<li><a href="${withQuery(VIEWS, viewQuery({ ...state, cursor: undefined }))}">${t('All spaces')}</a></li>
${spaces.map(
  ({ slug, name }) =>
    html`<li><a href="${withQuery(viewsUrl(slug), viewQuery({ ...state, cursor: undefined }))}">${name}</a></li>`,
)}
</ul></details></nav>
${filterChips({ filters: state.filters, without })}
<details class="more"${error && trusted(' open')}><summary>${t('Filters, columns and order')}</summary>
<form class="form wide" action="${viewsUrl(space?.slug)}">
${filterFields({ filters: state.filters, without, keys, error })}
<fieldset><legend>${t('Columns')}</legend><div class="checks">
${offeredKeys.map(
  (key) =>
    html`<label class="check"><input type="checkbox" name="col"
      value="${key}"${columns.includes(key) && trusted(' checked')}><span>${key}</span></label>`,
)}
</div><label for="add">${t('Another property')}</label><input class="input" id="add" name="add" list="known-keys"
  autocomplete="off"></fieldset>
<fieldset class="order"><legend>${t('Order')}</legend>
${[...state.orders, { key: '', order: 'asc' }].slice(0, MAX_ORDERS).map(orderFields)}
</fieldset>
<div class="buttons"><button class="button primary">${t('Show')}</button>
<label class="permalink">${t('Link to this view')} <input class="input" readonly
  value="${view.origin}${buildAddress(view, { ...state, cursor: undefined })}"></label></div>
</form></details>`
}

function orderFields({ key, order }: { readonly key: string; readonly order: string }, index: number): Html {
  return html`<div class="field">
<label for="by-${index}">${index === 0 ? t('By property') : t('Then by')}</label><input class="input" id="by-${index}"
  name="by" value="${key}" list="known-keys" autocomplete="off"></div>
<div class="field"><label for="order-${index}">${t('Direction')}</label><select class="input" id="order-${index}"
  name="order"><option value="asc">${t('ascending')}</option><option value="desc"${
    order === 'desc' && trusted(' selected')
  }>${t('descending')}</option></select></div>`
}

function table(view: View): Html {
  const { state, space, columns, found } = view
  const { nextCursor } = found
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label="${t('Pages')}">
<table class="data view">
<thead><tr><th scope="col">${t('Page')}</th>
${!space && html`<th scope="col">${t('Space')}</th>`}${columns.map((key) => head(view, key))}</tr></thead>
<tbody>
${found.items.map((page) => row(page, columns, !space))}
</tbody>
</table>
</div>
${pagination(
  t('Pages of the view'),
  state.cursor !== undefined && [buildAddress(view, { ...state, cursor: undefined }), t('First pages')],
  nextCursor !== null && [buildAddress(view, { ...state, cursor: nextCursor }), t('More pages')],
)}`
}

function head(view: View, key: string): Html {
  const { state } = view
  const current = state.orders.find((each) => each.key === key)
  // One column at a time (WAI-ARIA): the first order.
  const sort = current === state.orders[0] && current && html` aria-sort="${current.order}ending"`
  return html`<th scope="col"${sort}>
<a href="${buildAddress(view, ordered(state, key))}">${key}${
    current && html`<span aria-hidden="true"> ${current.order === 'asc' ? '↑' : '↓'}</span>`
  }</a></th>`
}

function row(page: FoundPage, columns: readonly string[], withSpace: boolean): Html {
  const { space, path, title, metadata = {} } = page
  const cells = columns.map((key) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
    return html`<td>${valueView(value)}</td>`
  })
  return html`<tr><th scope="row"><a href="${pageUrl(space, path)}">${title}</a><span class="quiet path">${path}</span>
</th>${withSpace && html`<td><a href="${viewsUrl(space)}">${space}</a></td>`}${cells}</tr>\n`
}

function empty({ state, space, keys }: View): Html {
  if (state.filters.length > 0)
    return html`<div class="empty"><h2>${t('No matching pages')}</h2>
<p>${space ? t('Remove a filter, or search all spaces.') : t('Remove a filter.')} ${sentence(
      t('Values are compared with their type: the text `"3"` is not the number `3`.'),
    )}</p>
<p><a class="button" href="${viewsUrl(space?.slug)}">${t('Clear filters')}</a></p></div>`
  return html`<div class="empty"><h2>${t('No pages yet')}</h2>
<p>${
    keys.length === 0 &&
    t(
      'Properties are stored beside a page: a status, an owner, a date. ' +
        'Add them on the “Properties” tab of a page, e.g. {url}.',
      { url: html`<code>${metadataUrl('docs', 'start')}</code>` },
    )
  }</p></div>`
}

function buildAddress({ space }: View, state: ViewState, as?: 'csv'): string {
  const query = viewQuery(state)
  if (as !== undefined) query.set('as', as)
  return withQuery(viewsUrl(space?.slug), query)
}
