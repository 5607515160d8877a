import type { AppError } from '@recto/contract/errors.ts'
import type { AuditEvent } from '../../../content/metadata/history.ts'
import type { MetadataEntry } from '../../../content/metadata/metadata.ts'
import type { List } from '../../../platform/http/paging.ts'
import { translateDetail, translateIssue } from '../../../platform/language/details.ts'
import { renderChoice, renderOptions } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, hiddenText, html, sentence, t, trusted } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { time } from '../time.ts'
import { metadataUrl, viewsUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'
import { auditView } from './audit-view.ts'
import { issuePath, MAX_EDITED, type MetadataRow, NEW } from './rows.ts'
import { chooseKind, controlText, digestValue, KIND_TEXTS, KINDS, type Kind } from './value-form.ts'

export interface MetadataView {
  readonly page: ScreenPage
  readonly entries: readonly MetadataEntry[]
  readonly rows: readonly MetadataRow[]
  readonly history: List<AuditEvent>
  /** The key whose history is shown; absent: of all. */
  readonly key: string | undefined
  /** Whether this is the first page of the history. */
  readonly first: boolean
  /** Keys in use in the space. */
  readonly keys: readonly string[]
  readonly error?: AppError
  /** The other fields of the form that failed. */
  readonly sent?: {
    readonly act: string
    readonly newKey?: string | undefined
    readonly newKind?: string | undefined
    readonly newValue?: string | undefined
    readonly key?: string | undefined
    readonly value?: string | undefined
  }
}

/** At most this much text is editable in one form: rendering more would block other requests. */
const MAX_FORM_TEXT = 256 * 1024

/** The metadata of a page, with its history. */
export function metadataScreen(view: MetadataView): Screen {
  const { page, error, rows } = view
  const main = page.proposes ? html`${saveForm(view)}${appendForm(view)}` : reading(rows)
  return pageFrame(page, 'Properties', {
    sheets: ['data.css'],
    heading: t('Properties of {title}', { title: page.title }),
    column: '',
    main: html`<p class="quiet">${t(
      'Changing them doesn’t create a new version. <link>Views</link> list pages by their properties.',
      { link: (text) => html`<a href="${viewsUrl(page.space)}">${text}</a>` },
    )}</p>
${error && html`<div class="notice error" role="alert"><p>${sentence(translateDetail(error.message))}</p></div>`}
${main}
${auditView(view)}`,
  })
}

function reading(rows: readonly MetadataRow[]): Html {
  if (rows.length === 0) return html`<p class="empty">${t('No properties yet.')}</p>`
  return html`<dl class="facts">
${rows.map(({ key, entry }) => html`<dt>${key}</dt><dd>${valueView(entry?.value)}</dd>`)}</dl>`
}

function saveForm(view: MetadataView): Html {
  const { page, rows, keys, error, sent } = view
  let budget = MAX_FORM_TEXT
  const addedForm = sent?.act === 'save' ? sent : undefined
  const newKey = addedForm?.newKey ?? ''
  const problem = problemAt(error, NEW) ?? (newKey === '' ? undefined : problemAt(error, issuePath(newKey)))
  return html`<form class="form wide metadata" method="post" action="${metadataUrl(page.space, page.path)}">
${CSRF_FIELD}
<input type="hidden" name="act" value="save">
${
  rows.length > 0 &&
  html`<div class="values">${rows.map((row, index) => {
    budget -= row.text.length
    return valueRow(view, row, index, row.text.length <= MAX_EDITED && budget >= 0)
  })}</div>`
}
<fieldset class="new-value"><legend>${t('Add a property')}</legend>
<div class="value-row">
<input class="input" dir="auto" name="newKey" value="${newKey}" list="known-keys" maxlength="256"
  placeholder="${t('Name')}" autocomplete="off" aria-label="${t('Name of the new property')}"${
    problem !== undefined && html` aria-invalid="true" aria-describedby="new-error"`
  }>
${kindSelect('newKind', t('Kind of the new property'), (addedForm?.newKind as Kind | undefined) ?? 'text')}
<textarea dir="auto" class="input" name="newValue" rows="1" placeholder="${t('Value')}"
  aria-label="${t('Value of the new property')}">${trusted('\n')}${addedForm?.newValue ?? ''}</textarea>
</div>
${
  problem !== undefined &&
  html`<p class="error" id="new-error">${sentence(translateIssue(problem, 'The property'))}</p>`
}
<datalist id="known-keys">${keys.map((key) => html`<option value="${key}"></option>`)}</datalist>
</fieldset>
<div class="buttons">
<button class="button primary">${t('Save')}</button><span class="quiet">${t('Saves all changes together.')}</span></div>
</form>`
}

function valueRow({ page, error }: MetadataView, row: MetadataRow, index: number, edited: boolean): Html {
  const { key, kind, text, mark, entry } = row
  const problem = problemAt(error, issuePath(key))
  const changedNote =
    entry?.updatedBy &&
    html`<p class="help">
${t('{time} by {name}', { time: time(new Date(entry.updatedAt)), name: authorName(entry.updatedBy) })}</p>`
  const links = html`<span class="row-links"><a href="${metadataUrl(page.space, page.path, { key })}#history">${t(
    'History<hidden> of {key}</hidden>',
    { key, hidden: hiddenText },
  )}</a> <a href="${metadataUrl(page.space, page.path, { remove: key })}">${t('Remove<hidden> {key}</hidden>', {
    key,
    hidden: hiddenText,
  })}</a></span>`
  if (!edited)
    return html`<div class="value-row"><span class="key">${key}</span><span class="quiet">${t(KIND_TEXTS[kind])}</span>
<div>${valueView(entry?.value)}<p class="help">${t('Too long to edit here.')}</p></div>${links}</div>`
  const id = `value-${index}`
  const attributes = html` id="${id}" name="values[]" aria-label="${key}"${
    problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`
  }`
  // A conflicting change is saved at the second attempt, after the person has seen the other value.
  const seenMark = problem !== undefined && entry ? freshMark(row) : mark
  return html`<div class="value-row">
<span class="key">${key}<input type="hidden" name="keys[]" value="${key}"><input type="hidden" name="marks[]"
  value="${seenMark}"></span>
${kindSelect('kinds[]', t('Kind of {key}', { key }), kind)}
<div>${control(kind, text, attributes)}${
    problem !== undefined &&
    html`<p class="error" id="${id}-error">${sentence(translateIssue(problem, 'The value'))}</p>`
  }${changedNote}</div>
${links}</div>\n`
}

function freshMark({ entry, mark }: MetadataRow): string {
  if (!entry) return mark
  const kind = chooseKind(entry.value)
  return digestValue(kind, controlText(kind, entry.value))
}

function control(kind: Kind, text: string, attributes: Html): Html {
  if (kind === 'switch')
    return html`<select class="input"${attributes}>${renderOptions(
      [
        ['true', t('yes')],
        ['false', t('no')],
      ],
      text === 'true' ? text : 'false',
    )}</select>`
  if (kind === 'number') return html`<input class="input" inputmode="decimal" value="${text}"${attributes}>`
  if (kind === 'text' && !text.includes('\n') && !text.includes('\r') && text.length < 100)
    return html`<input class="input" dir="auto" value="${text}"${attributes}>`
  const rows = Math.min(12, Math.max(2, text.split('\n').length + (kind === 'list' ? 1 : 0)))
  return html`<textarea dir="auto" class="input${kind === 'json' && ' code'}"
    rows="${rows}"${attributes}>${trusted('\n')}${text}</textarea>`
}

function kindSelect(name: string, label: string, current: Kind): Html {
  return renderChoice(
    name,
    label,
    current,
    KINDS.map((kind) => [kind, t(KIND_TEXTS[kind])]),
  )
}

function appendForm({ page, rows, error, sent }: MetadataView): Html {
  const lists = rows.filter(({ kind, entry }) => kind === 'list' || Array.isArray(entry?.value))
  if (lists.length === 0) return html``
  const problem = sent?.act === 'append' ? error?.extras.issues?.[0]?.message : undefined
  return html`<form class="form wide metadata" method="post" action="${metadataUrl(page.space, page.path)}">
${CSRF_FIELD}
<fieldset><legend>${t('Add to a list')}</legend><input type="hidden" name="act" value="append">
<div class="value-row">
${renderChoice(
  'key',
  t('List'),
  sent?.key,
  lists.map(({ key }) => [key, key]),
)}
<label class="check"><input type="checkbox" name="unique" value="1"
  checked><span>${t('Skip if already in the list')}</span></label>
<input class="input" dir="auto" name="value" value="${problem === undefined ? '' : (sent?.value ?? '')}"
  aria-label="${t('Element')}" placeholder="${t('Element')}" required${
    problem !== undefined && html` aria-invalid="true" aria-describedby="append-error"`
  }>
<button class="button">${t('Add')}</button>
</div>
${
  problem !== undefined &&
  html`<p class="error" id="append-error">${sentence(translateIssue(problem, 'The element'))}</p>`
}
</fieldset></form>`
}

function problemAt(error: AppError | undefined, path: string): string | undefined {
  return error?.extras.issues?.find((issue) => issue.path === path || issue.path.startsWith(`${path}/`))?.message
}
