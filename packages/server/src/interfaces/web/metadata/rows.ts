import { actorText } from '@recto/contract/actor-text.ts'
import { AppError, type Issue } from '@recto/contract/errors.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import type { MetadataEntry } from '../../../content/metadata/metadata.ts'
import { asSent, chooseKind, controlText, digestValue, KINDS, type Kind, parseValue } from './value-form.ts'

/** A key of a page as the form shows it. */
export interface MetadataRow {
  readonly key: string
  readonly kind: Kind
  readonly text: string
  /** A digest of the value of the control when the form was rendered. */
  readonly mark: string
  /** Absent: a new key. */
  readonly entry?: MetadataEntry
}

/** The fields of the form; each list has an element for each row. */
export interface MetadataForm {
  readonly keys?: readonly string[]
  readonly kinds?: readonly string[]
  readonly values?: readonly string[]
  readonly marks?: readonly string[]
  readonly newKey?: string
  readonly newKind?: string
  readonly newValue?: string
}

/** Longer values are shown, but not edited here. */
export const MAX_EDITED = 8 * 1024

/** The current values as rows. */
export function toRows(entries: readonly MetadataEntry[]): MetadataRow[] {
  return entries.map((entry) => {
    const kind = chooseKind(entry.value)
    const text = controlText(kind, entry.value)
    return { key: entry.key, kind, text, mark: digestValue(kind, text), entry }
  })
}

/** The rows as they were sent, to show the form again. */
export function rowsSent(form: MetadataForm, entries: readonly MetadataEntry[]): MetadataRow[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const sentRows = (form.keys ?? []).map((key, index) => {
    const entry = byKey.get(key)
    return {
      key,
      kind: asKind(form.kinds?.[index]),
      text: asSent(form.values?.[index] ?? ''),
      mark: form.marks?.[index] ?? '',
      ...(entry && { entry }),
    }
  })
  const sentKeys = new Set(sentRows.map(({ key }) => key))
  return [...sentRows, ...toRows(entries.filter(({ key }) => !sentKeys.has(key)))]
}

/** The values to set, and the issues; a key that was changed concurrently is not overwritten. */
export function wantedBy(form: MetadataForm, entries: readonly MetadataEntry[]) {
  const now = new Map(toRows(entries).map((row) => [row.key, row]))
  const set: [string, unknown][] = []
  const issues: Issue[] = []
  const want = (key: string, kind: Kind, text: string) => {
    const parsedValue = parseValue(kind, text)
    if ('value' in parsedValue) set.push([key, parsedValue.value])
    else issues.push({ path: issuePath(key), message: parsedValue.problem })
  }
  for (const row of rowsSent(form, []).filter(({ kind, text, mark }) => digestValue(kind, text) !== mark)) {
    const current = now.get(row.key)
    if (current?.mark === row.mark) want(row.key, row.kind, row.text)
    else issues.push({ path: issuePath(row.key), message: changedSince(current) })
  }
  const { newKey = '', newValue = '' } = form
  if (newKey !== '' && now.has(newKey)) issues.push({ path: NEW, message: 'is already set on this page' })
  else if (newKey !== '') want(newKey, asKind(form.newKind), asSent(newValue))
  else if (newValue !== '') issues.push({ path: NEW, message: 'needs a name' })
  return { set: Object.fromEntries(set), issues }
}

/** The path of an issue about a key, as the errors of the patch write it. */
export function issuePath(key: string): string {
  return pointerTo('/set', key)
}

/** The path of an issue about the row of a new key. */
export const NEW = '/newKey'

/** The error of a form with these issues. */
export function issuesError(issues: readonly Issue[]): AppError {
  return new AppError('invalid_request', 'Nothing was saved. Correct the values below.', { issues })
}

function changedSince(current: MetadataRow | undefined): string {
  if (!current?.entry) return 'was removed by someone else'
  return (
    `was changed by ${actorText(current.entry.updatedBy)} meanwhile, to \`${current.text.slice(0, 200)}\`; ` +
    `save again to set your value`
  )
}

function asKind(text: string | undefined): Kind {
  return KINDS.find((kind) => kind === text) ?? 'text'
}
