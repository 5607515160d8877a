import { AppError } from '@recto/contract/errors.ts'
import type { DraftedPage } from '../../access/overlay.ts'
import type { DraftOperation, DraftRow } from '../../access/store-drafts.ts'
import { applyPatch, changed, type Limits, type Operation, type Values } from './patch.ts'
import type { DocumentRow } from './store.ts'

/** The operations of a draft after a further patch, with the value of each key before the first one. */
export function toDraftMetadata(
  draft: DraftRow | undefined,
  operations: readonly Operation[],
  doc: Readonly<Record<string, unknown>>,
): Pick<DraftRow, 'operations' | 'base_values'> {
  const baseValues = new Map(Object.entries(draft?.base_values ?? {}))
  const keys = new Set(draft?.operations.map(({ key }) => key))
  for (const { key } of operations) {
    if (!keys.has(key) && Object.hasOwn(doc, key)) baseValues.set(key, doc[key])
    keys.add(key)
  }
  const more = operations.map(({ op, key, operand }): DraftOperation => ({ op, key, operand }))
  return { operations: [...(draft?.operations ?? []), ...more], base_values: Object.fromEntries(baseValues) }
}

/** The values after operations that may name a key again. One that no longer fits its value changes nothing. */
export function applyOperations(
  values: Values,
  operations: readonly DraftOperation[],
  limits: Limits,
): { readonly values: Values; readonly misfits: readonly string[] } {
  const misfits: string[] = []
  let after = values
  for (const operation of operations) {
    try {
      after = changed(after, applyPatch(after, [{ ...operation, path: '' }], limits))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      misfits.push(operation.key)
    }
  }
  return { values: after, misfits }
}

/** A document as its draft changes it: each key that it changes has the last author of the draft. */
export function withOperations<R extends DocumentRow & DraftedPage>(row: R, limits: Limits): R {
  const { draft } = row
  if (!draft || draft.operations.length === 0) return row
  const { values } = applyOperations(new Map(Object.entries(row.doc)), draft.operations, limits)
  const { updated_at, updated_by: id, updated_by_name: name, updated_by_kind: kind } = draft
  const stamps = draft.operations.map(({ key }) => [key, [updated_at.toISOString(), id]] as const)
  return {
    ...row,
    doc: Object.fromEntries(values),
    stamps: { ...row.stamps, ...Object.fromEntries(stamps) },
    actors: { ...row.actors, [id]: { id, name, kind } },
  }
}
