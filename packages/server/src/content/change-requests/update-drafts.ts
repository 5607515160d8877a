import { inputError } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { jsonEqual } from '@recto/lib/json/json.ts'
import type { Preconditions } from '../../access/preconditions.ts'
import { requirePaths, type SpaceAccess } from '../../access/space.ts'
import * as store from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { packAfter } from '../pages/pack-revision.ts'
import { toDraftIndex } from '../pages/propose.ts'
import { deriveBody } from '../pages/writing/derive-body.ts'
import { mergeConflict, pickOpen } from './merge.ts'
import { planChanges } from './plan-changes.ts'
import type { PlannedChange } from './plan-merge.ts'
import { type RequestAddress, requireOpen } from './requests.ts'
import type { UpdateDrafts } from './schema.ts'
import { type ChangeRow, listChanges } from './store.ts'

const SAME_TEXT = { revisionId: null, body: null, title: null, frontmatter: null }

/**
 * Merges the present versions of pages into their drafts, all or none, so that each is based on what is there now. A
 * resolved draft has all that it needs of the version that is named with it: it stays as it is.
 */
export async function updateDrafts(
  ctx: PagesCtx,
  address: RequestAddress,
  { paths, resolved = [], preconditions }: UpdateDrafts & { readonly preconditions: Preconditions },
): Promise<void> {
  for (;;) {
    const { space, row } = await requireOpen(ctx, address, preconditions)
    const key = { spaceId: space.id, number: row.number }
    const changes = await listChanges(ctx.db, toAccessSubject(ctx.actor), key)
    const open = changes.filter(({ merged_version }) => merged_version === null)
    const pickedChanges = pickOpen(open, paths)
    const addresses = pickedChanges.map((change) => change.address)
    await requirePaths(ctx, space, addresses, row.author.id === ctx.actor.id ? 'viewer' : 'organizer')
    const resolvedChanges = pickedChanges.map((change) => resolve(change, resolved))
    const plans = await planChanges(ctx, space, resolvedChanges, open)
    const conflicts = plans.flatMap((plan) => plan.conflicts)
    if (conflicts.length > 0) throw mergeConflict(conflicts)
    const drafts = (await Promise.all(plans.map((plan) => rebase(ctx, space, plan, open)))).flat()
    if (drafts.length === 0) return
    const isStored = await inTransaction(ctx, async (tx) => {
      const lockedRow = await store.lockRequest.first(tx.db, key)
      if (lockedRow?.version !== row.version) return tx.noChange()
      for (const { draft, index } of drafts) {
        await store.rebaseDraft.enqueue(tx.db, { ...key, ...draft })
        if (index) await store.indexDraft.enqueue(tx.db, { ...key, id: draft.id, ...index })
      }
      await store.touchRequest.enqueue(tx.db, key)
      return true
    })
    if (isStored) return
  }
}

/** The change as if it were made of the version that its author has seen. */
function resolve(change: ChangeRow, resolved: NonNullable<UpdateDrafts['resolved']>): ChangeRow {
  const version = resolved.find(({ path }) => path === change.address)?.version
  if (version === undefined) return change
  if (change.base_version !== null && change.base_version <= version && version <= (change.page_version ?? 0)) {
    return { ...change, base_version: version, base_path: change.page_path, is_resolved: true }
  }
  const detail = `\`${change.address}\` has no version ${version} since its draft was begun.`
  throw inputError('invalid_request', detail, '/resolved', 'names a version that the page does not have')
}

/** The draft on the present version; none if it is that already. */
async function rebase(
  ctx: PagesCtx,
  { slug, language }: SpaceAccess,
  { change, version, body, values = {} }: PlannedChange,
  stored: readonly ChangeRow[],
): Promise<{ readonly draft: store.RebasedDraft; readonly index?: store.DraftIndex }[]> {
  const { id, page_path: basePath, operations } = change
  const before = stored.find((row) => row.id === id)
  if (change.page_id === null || version === null || basePath === null) return []
  const keys = new Set(operations.map(({ key }) => key))
  const baseValues = Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key)))
  const isSame = before?.base_version === version && before.base_path === basePath
  if (isSame && jsonEqual(before.base_values, baseValues)) return []
  const base = { id, baseVersion: version, basePath, baseValues: JSON.stringify(baseValues) }
  if (!body || change.base_version === version) return [{ draft: { ...base, ...SAME_TEXT } }]
  const derivedData = await deriveBody(ctx.pages.markdown, {
    from: { space: slug, path: basePath, publicOrigin: ctx.config.publicUrl },
    body: body.toString('utf8'),
    language,
    metadata: undefined,
  })
  const { title, frontmatter } = derivedData
  const { data } = await packAfter(body, undefined)
  const draft = { ...base, revisionId: uuid7(), body: data, title, frontmatter }
  return [{ draft, index: toDraftIndex(derivedData) }]
}
