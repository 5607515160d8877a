import type { AppError } from '@recto/contract/errors.ts'
import { FILTER_OPS, isFilterOp, PAGE_FIELD_NAMES } from '@recto/contract/filter-ops.ts'
import type { Warning } from '../../../content/metadata/warnings.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { renderChoice } from '../controls.ts'
import { type Html, html, sentence, t } from '../html.ts'
import { type FilterRow, takesValue } from './state.ts'

export interface FilterFields {
  readonly filters: readonly FilterRow[]
  /** The URL of the screen without the filter at this index. */
  readonly without: (index: number) => string
  /** Keys for completion. */
  readonly keys: readonly string[]
  readonly error: AppError | undefined
}

/** The keys of a query that no visible page has. */
export function warningNotice(warnings: readonly Warning[] = []): Html | undefined {
  if (warnings.length === 0) return undefined
  return html`<div class="notice" role="status">
${warnings.map(
  ({ key }) =>
    html`<p>${t('No page that you can read has the property {key}. Check its spelling.', {
      key: html`<bdi><strong>${key}</strong></bdi>`,
    })}</p>`,
)}</div>`
}

/** The filters as words, each a link to the screen without it. */
export function filterChips({ filters, without }: Pick<FilterFields, 'filters' | 'without'>): Html | undefined {
  if (filters.length === 0) return undefined
  const chips = filters.map(({ key, op, value }, index) => {
    const operator = isFilterOp(op) ? t(FILTER_OPS[op].label) : op
    const words = takesValue(op)
      ? t('{key} {operator} {value}', { key, operator, value })
      : t('{key} {operator}', { key, operator })
    return html`<li><a class="button small" href="${without(index)}" aria-label="${t('Remove the filter {words}', {
      words,
    })}"><span>${words}</span> <span aria-hidden="true">✕</span></a></li>`
  })
  return html`<ul class="chips" aria-label="${t('Filters')}">${chips}</ul>`
}

/** A row of controls for each filter, and an empty row, so that one can be added without script. */
export function filterFields({ filters, without, keys, error }: FilterFields): Html {
  const rows = [...filters, { key: '', op: 'eq', value: '' }]
  return html`<fieldset class="filters"><legend>${t('Filters on properties')}</legend>
${rows.map((row, index) => filterRow(row, index, filters.length, without, problemAt(error, index)))}
<p class="help">${sentence(
    t(
      'A value is text, unless it is JSON: `3`, `true`, `"3"`. Dates are written `2026-01-31` or `today+90d`; ' +
        'several values are separated by commas. `$title`, `$updatedAt` and the like are of the page itself. ' +
        'Pages must match all filters.',
    ),
  )}</p>
<datalist id="known-keys">${keys.map((key) => html`<option value="${key}"></option>`)}${PAGE_FIELD_NAMES.map(
    (name) => html`<option value="$${name}"></option>`,
  )}</datalist>
</fieldset>`
}

function filterRow(
  { key, op, value }: FilterRow,
  index: number,
  count: number,
  without: (index: number) => string,
  problem: string | undefined,
): Html {
  const added = index === count
  const name = added ? t('new filter') : t('filter {number}', { number: index + 1 })
  const attributes = problem !== undefined && html` aria-invalid="true" aria-describedby="filter-${index}-error"`
  const options = Object.entries(FILTER_OPS).map(([operator, { label }]) => [operator, t(label)] as const)
  return html`<div class="filter">
<input class="input" dir="auto" name="key" value="${key}" list="known-keys" placeholder="${added ? t('Property') : ''}"
  autocomplete="off" aria-label="${t('Property of {name}', { name })}"${attributes}>
${renderChoice('op', t('Operator of {name}', { name }), op, options)}
<input class="input" dir="auto" name="value" value="${value}" data-values placeholder="${added ? t('Value') : ''}"
  autocomplete="off" aria-label="${t('Value of {name}', { name })}"${attributes}>
${
  added
    ? html`<button class="button">${t('Add')}</button>`
    : html`<a class="button" href="${without(index)}" aria-label="${t('Remove {name}', { name })}">${t('Remove')}</a>`
}
${problem !== undefined && html`<p class="error" id="filter-${index}-error">${sentence(problem)}</p>`}</div>\n`
}

/** The issue about a filter; its path is like `filters/0/value`. */
function problemAt(error: AppError | undefined, index: number): string | undefined {
  const path = `filters/${index}`
  const issue = error?.extras.issues?.find(
    (fieldIssue) => fieldIssue.path === path || fieldIssue.path.startsWith(`${path}/`),
  )
  return issue && translateDetail(`The ${issue.path.split('/')[2] ?? 'filter'} ${issue.message}.`)
}
