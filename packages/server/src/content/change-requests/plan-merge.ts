import type { PageAddress } from '@recto/contract/page-address.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { type MergedPart, merge3, settledText } from '@recto/lib/text/merge.ts'
import { isRestored } from '../../access/overlay.ts'
import { readTrashedAt } from '../lifecycle/find-trashed.ts'
import { applyOperations } from '../metadata/drafts.ts'
import { readLimits, readMetadata } from '../metadata/metadata.ts'
import type { Operation } from '../metadata/patch.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readPage } from '../pages/read.ts'
import type { ChangedPage, MergeConflict } from './schema.ts'
import type { ChangeRow } from './store.ts'

/** What a merge makes of one page or file. */
export interface PlannedChange {
  readonly change: ChangeRow
  readonly kind: ChangedPage['kind']
  /** Where it is in the request. */
  readonly path: string
  /** Where the page is now. */
  readonly from: string
  /** The version of the page that the plan was made for; null: there is no page. */
  readonly version: number | null
  /** Absent: the body stays. */
  readonly body?: Buffer
  /** One a key. */
  readonly operations: readonly Operation[]
  /** The present values of the keys that it changes. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly conflicts: readonly MergeConflict[]
}

export function toKind(change: ChangeRow): ChangedPage['kind'] {
  const { base_path, is_deleted, revision_id, operations } = change
  if (is_deleted) return 'deleted'
  if (base_path === null) return isRestored(change) ? 'restored' : 'created'
  if (revision_id !== null) return 'edited'
  return operations.length > 0 ? 'metadata' : 'moved'
}

/** Where the page of a change is, if the request moves it elsewhere; null: it does not. */
export function movedFrom({ path, base_path, page_path, merged_version }: ChangeRow): string | null {
  const from = merged_version === null ? page_path : base_path
  return base_path === null || path === null || path === from ? null : from
}

/** What the merge of a change does now, with its conflicts (three-way merge by lines, and by keys of metadata). */
export async function planChange(ctx: PagesCtx, space: string, change: ChangeRow): Promise<PlannedChange> {
  const { address: path } = change
  const kind = toKind(change)
  const version = change.page_id === null || change.page_deleted ? null : change.page_version
  const from = change.page_path ?? path
  const plan = { change, kind, path, from, version, operations: [] }
  const fail = (conflict: Omit<MergeConflict, 'path'>) => ({ ...plan, conflicts: [{ path, ...conflict }] })
  if (kind === 'created') {
    const { operations } = planMetadata(ctx, change, {})
    return { ...plan, ...(await withBody(change)), operations, conflicts: [] }
  }
  if (kind === 'restored') {
    const row = await readTrashedAt(ctx, 'page', { space, path, trashedVersion: change.base_version })
    if (!row || row.id === null) return fail({ kind: 'deleted' })
    const body = await readDraftBody(change)
    const { operations } = planMetadata(ctx, { ...change, is_resolved: true }, row.doc)
    const isEdited = body && !body.equals(await unpackBody(row.data))
    return { ...plan, ...(isEdited && { body }), operations, conflicts: [] }
  }
  if (kind === 'deleted') {
    const isChanged = version !== null && version !== change.base_version
    return isChanged ? fail({ kind: 'changed' }) : { ...plan, conflicts: [] }
  }
  return version === null
    ? fail({ kind: 'deleted' })
    : { ...plan, ...(await planEdit(ctx, { space, path: from }, change)) }
}

/** The new body and metadata of a page that exists, with their conflicts. */
async function planEdit(ctx: PagesCtx, page: PageAddress, change: ChangeRow) {
  const { address: path } = change
  const values = change.operations.length > 0 ? (await readMetadata(ctx, page)).metadata : {}
  const { operations, keys } = planMetadata(ctx, change, values)
  const text = await mergeText(ctx, page, change)
  const conflicts: MergeConflict[] = []
  if (movedFrom(change) !== null && page.path !== change.base_path) conflicts.push({ path, kind: 'moved' })
  if (text?.hunks) conflicts.push({ path, kind: 'text', hunks: text.hunks })
  if (keys.length > 0) conflicts.push({ path, kind: 'metadata', keys })
  return { ...(text?.body && { body: text.body }), operations, values, conflicts }
}

export async function readDraftBody({ body, revision_id }: ChangeRow): Promise<Buffer | undefined> {
  return revision_id === null || body === null ? undefined : unpackBody(body)
}

async function withBody(change: ChangeRow): Promise<{ readonly body?: Buffer }> {
  const body = await readDraftBody(change)
  return body ? { body } : {}
}

/** The draft merged with the page, if it changes the body: the body, or the places that both changed. */
async function mergeText(
  ctx: PagesCtx,
  address: PageAddress,
  change: ChangeRow,
): Promise<{ readonly body?: Buffer; readonly hunks?: MergeConflict['hunks'] } | undefined> {
  const draft = await readDraftBody(change)
  if (!draft || change.base_version === null) return undefined
  if (change.page_version === change.base_version) return { body: draft }
  const [base, latest] = await Promise.all([
    readPage(ctx, { ...address, version: change.base_version }),
    readPage(ctx, address),
  ])
  const parts = merge3(base.content.body.toString('utf8'), draft.toString('utf8'), latest.content.body.toString('utf8'))
  const text = settledText(parts)
  return text === undefined ? { hunks: listHunks(parts) } : { body: Buffer.from(text) }
}

function listHunks(parts: readonly MergedPart[]): MergeConflict['hunks'] {
  return parts.flatMap((part) =>
    part.kind === 'conflict'
      ? [{ base: part.base.join(''), draft: part.mine.join(''), page: part.theirs.join('') }]
      : [],
  )
}

/**
 * The operations of a change on the present values, one a key, and the keys in conflict: appends run on the present
 * value; what sets a key conflicts where its value is neither the one before nor the new one.
 */
function planMetadata(
  ctx: PagesCtx,
  { operations, base_values: baseValues, is_resolved: isResolved }: ChangeRow,
  values: Readonly<Record<string, unknown>>,
): { readonly operations: Operation[]; readonly keys: string[] } {
  const keys: string[] = []
  const plannedOperations = [...Map.groupBy(operations, ({ key }) => key)].flatMap(([key, ofKey]): Operation[] => {
    const before = Object.hasOwn(values, key) ? values[key] : undefined
    const present = new Map(before === undefined ? [] : [[key, before]])
    const { values: after, misfits } = applyOperations(present, ofKey, readLimits(ctx))
    const onlyAppends = ofKey.every(({ op }) => op === 'append' || op === 'appendUnique')
    const isChanged = !isResolved && !jsonEqual(before, baseValues[key]) && !jsonEqual(before, after.get(key))
    if (misfits.length > 0 || (!onlyAppends && isChanged)) keys.push(key)
    const [first, ...more] = ofKey
    if (first && more.length === 0) return [{ ...first, path: '' }]
    return [after.has(key) ? { op: 'set', key, operand: after.get(key), path: '' } : { op: 'delete', key, path: '' }]
  })
  return { operations: plannedOperations, keys }
}
