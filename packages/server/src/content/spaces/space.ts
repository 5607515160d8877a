import { AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { DEFAULT_LANGUAGE } from '@recto/lib/languages.ts'
import type { Visibility } from '../../access/addressed-page.ts'
import { type Caller, isInPerson, requireOrgAdmin, requireRank, toRole } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { checkIfMatch, type IfMatch, includesChange } from '../../access/entity-tag.ts'
import { renamedSpace } from '../../access/missing.ts'
import { openPersonalSpace } from '../../access/space.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { type NewAuditTarget, recordAuditEntry } from '../../identity/principals/audit.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { brokenConstraint } from '../../platform/database/availability/failure.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { checkedIcon } from './icon.ts'
import { deleteGrantedRequests } from './requests/store-requests.ts'
import { listUnknown } from './rules/store-rules.ts'
import type { CreateSpace, ReviewRules, Space, UpdateSpace } from './schema.ts'
import { withSlugConflictsAudited } from './slug-conflicts.ts'
import * as store from './store.ts'
import { adoptAddresses, changeSlug, takeSlug } from './store-addresses.ts'
import { countOpened } from './store-readers.ts'

/** The spaces that the caller can read, in the order of their slugs; with `name`, those whose name or slug has it. */
export async function listVisibleSpaces(
  ctx: Ctx,
  { name = '', ...paging }: PageQuery & { readonly name?: string },
): Promise<List<Space>> {
  const window = parseWindow(ctx, 'spaces', paging, ['text'])
  const rows = await store.listSpaces(ctx.db, ctx.actor, toKeyset(window), name.trim())
  return buildPage(window, rows, ['slug'], toSpace)
}

/** One space that the caller can read. */
export async function readSpace(ctx: Ctx, slug: string): Promise<Space> {
  return toSpace(await requireRow(ctx, slug, 'viewer'))
}

/** Creates a shared space; its creator becomes its admin. An agent needs the scope `admin` for it. */
export async function createSpace(ctx: EventsCtx, input: CreateSpace): Promise<Space> {
  checkNewSpace(ctx, input.slug)
  const now = ctx.now()
  const create = () =>
    inTransaction(ctx, async (tx) => {
      const { id } = await addSpace(tx, input, now)
      return readOwn(tx, id)
    })
  return withSlugConflictsAudited(ctx, input.slug, create)
}

/** Rejects a slug that no new space can have, and a caller who may not create spaces. */
export function checkNewSpace(ctx: Ctx, slug: string): void {
  rejectReserved(parseSlug(slug))
  requireSpaceMaker(ctx)
}

export function mayMakeSpaces({ spaceIds, scope, kind, guest }: Caller): boolean {
  if (guest) return false
  return spaceIds === null && (scope === 'admin' || (scope === 'write' && kind === 'human'))
}

/** Throws `forbidden` if the caller may not create spaces. */
export function requireSpaceMaker({ actor }: Ctx): void {
  if (mayMakeSpaces(actor)) return
  const detail =
    'Guests make no spaces. Making a space needs a key for all spaces with the scope write; ' +
    'an agent needs the scope admin.'
  throw new AppError('forbidden', detail)
}

/** Creates a checked space in the transaction that fills it. `isNew`: no earlier, lost attempt has created it. */
export async function addSpace(
  tx: EventsCtx & Tx,
  input: CreateSpace,
  now: Date,
): Promise<{ readonly id: number; readonly isNew: boolean }> {
  const { slug, name = slug } = input
  const creatorId = tx.actor.id
  requirePublisher(tx, input)
  if (input.visibility === 'public') await requireConfirmation(tx)
  const id = await store.insertSpace(tx, {
    slug,
    name,
    description: input.description ?? '',
    visibility: input.visibility ?? 'org',
    publicMetadata: input.publicMetadata ?? false,
    defaultRole: input.defaultRole ?? 'viewer',
    language: input.language ?? DEFAULT_LANGUAGE,
    icon: checkedIcon(input.icon),
    creatorId,
    now,
  })
  if (id === undefined) {
    const newSpaceId = tx.commitOutcomeUnknown ? await store.findMade(tx, { slug, creatorId, now }) : undefined
    if (newSpaceId === undefined) throw slugTaken(slug)
    return { id: newSpaceId, isNew: false }
  }
  await takeSlug(tx, { id, slug })
  await adoptAddresses(tx, { id, slug })
  await recordEvents(tx, [{ kind: 'space.created', spaceId: id, actor: tx.actor, at: now, data: { slug, name } }])
  await recordAuditEntry(tx, { action: 'space.created', target: toTarget({ id, slug, name }) })
  return { id, isNew: true }
}

/** Changes a space; a change without a difference records no event. */
export async function updateSpace(
  ctx: EventsCtx,
  slug: string,
  input: UpdateSpace,
  condition: IfMatch = {},
): Promise<Space> {
  const { slug: newSlug = slug } = input
  checkedIcon(input.icon)
  const now = ctx.now()
  const run = async (tx: EventsCtx & Tx, space: store.SpaceRow) => {
    const change = withWholeReview(space, input)
    rejectFixed(space, change)
    const current = toSpace(space)
    checkIfMatch(tx, condition, current, change)
    if (includesChange(current, change)) return current
    if (change.review) await checkReview(tx, space, change.review)
    if (opens(space, change)) await requireConfirmation(tx) // more people can read it then
    requirePublisher(tx, change, space)
    await applyChange(tx, space, change, now)
    if (opens(space, change)) await deleteGrantedRequests(tx, space.id, now)
    return readOwn(tx, space.id)
  }
  const update = () =>
    changeLocked(ctx, slug, { lock: store.lockForChange, run }).catch((error: unknown) => {
      throw brokenConstraint(error) === 'space_slug_key' ? slugTaken(newSlug) : error
    })
  return (await withSlugConflictsAudited(ctx, newSlug, update)) ?? readSpace(ctx, newSlug)
}

/** What a change would make of a space, and show to those who cannot read it. */
export async function planUpdate(ctx: Ctx, slug: string, input: UpdateSpace, condition: IfMatch) {
  const row = await requireRow(ctx, slug, 'admin')
  const change = withWholeReview(row, input)
  const current = toSpace(row)
  rejectFixed(row, change)
  checkIfMatch({ commitOutcomeUnknown: false }, condition, current, change)
  requirePublisher(ctx, change, row)
  const icon = change.icon === undefined ? current.icon : checkedIcon(change.icon)
  return { ...current, ...change, icon, dryRun: true as const, opens: await whatOpens(ctx, row, change) }
}

/** Whether a change shows the space, or its metadata, to more people. */
function opens(space: store.SpaceRow, change: SpaceChange): boolean {
  const { visibility = space.visibility, publicMetadata = space.public_metadata } = change
  const ranks: Readonly<Record<Visibility, number>> = { private: 0, org: 1, public: 2 }
  return (
    ranks[visibility] > ranks[space.visibility] || (visibility === 'public' && publicMetadata && !space.public_metadata)
  )
}

/** Whether a change takes the words of metadata from the search index, or adds them. */
function changesWords(space: store.SpaceRow, change: SpaceChange): boolean {
  const { language = space.language, visibility = space.visibility, publicMetadata = space.public_metadata } = change
  const hides = space.visibility === 'public' && !space.public_metadata
  return language !== space.language || hides !== (visibility === 'public' && !publicMetadata)
}

/** Throws unless the caller may make a space or its metadata public, if asked to: organisation admins may. */
function requirePublisher(
  ctx: Ctx,
  { visibility, publicMetadata }: Pick<UpdateSpace, 'visibility' | 'publicMetadata'>,
  space?: store.SpaceRow,
): void {
  const publishes = visibility === 'public' && space?.visibility !== 'public'
  if (!publishes && !(publicMetadata && !space?.public_metadata)) return
  if (!ctx.config.publicSpaces) {
    const detail = 'Spaces cannot be public here: the operator allows it by `SVC_PUBLIC_SPACES=on`.'
    const path = publishes ? '/visibility' : '/publicMetadata'
    throw inputError('invalid_request', detail, path, 'cannot be public here')
  }
  requireOrgAdmin(ctx)
}

/** What a change of the visibility shows to those who cannot read the space; null if it shows nothing. */
async function whatOpens({ db }: Ctx, space: store.SpaceRow, change: SpaceChange) {
  const { visibility = space.visibility } = change
  return opens(space, change) ? countOpened(db, space.id, visibility === 'public') : null
}

/** What the space shows once everybody can see it, for its admins; null if it is not private. */
export async function readOpens(ctx: Ctx, slug: string) {
  return whatOpens(ctx, await requireRow(ctx, slug, 'admin'), { visibility: 'org' })
}

/**
 * Changes a space as it is under its lock, where the caller has the role, of an admin by default. While the change
 * waited for the lock, the space may have got another slug, or ended: then the slug is looked up again, since it means
 * another space or none. Undefined if an attempt whose COMMIT was lost has ended the space.
 */
export async function changeLocked<C extends Ctx, T>(
  ctx: C,
  slug: string,
  change: {
    lock(tx: Tx, id: number): Promise<void>
    run(tx: Omit<C, 'db'> & Tx, space: store.SpaceRow): Promise<T>
    readonly role?: 'viewer' | 'admin'
  },
): Promise<T | undefined> {
  const { role = 'admin' } = change
  for (;;) {
    const { id } = await requireRow(ctx, slug, role)
    const result = await inTransaction(ctx, async (tx) => {
      await change.lock(tx, id)
      const space = await store.findSpaceById(tx.db, ctx.actor, id)
      if (tx.commitOutcomeUnknown && !space) return { done: undefined }
      // The lost attempt may have changed the slug itself.
      if (!space || (space.slug !== slug && !tx.commitOutcomeUnknown)) return tx.noChange()
      return { done: await change.run(tx, requireRank(space, slug, role)) }
    })
    if (result) return result.done
  }
}

/** The same for what never ends the space, with the lock against other changes. */
export async function changeWithin<C extends Ctx, T>(
  ctx: C,
  slug: string,
  run: (tx: Omit<C, 'db'> & Tx, space: store.SpaceRow) => Promise<T>,
  role: 'viewer' | 'admin' = 'admin',
): Promise<T> {
  const result = await changeLocked(ctx, slug, { lock: store.lockForChange, run, role })
  if (result === undefined) throw new AppError('not_found', 'The space does not exist any more.')
  return result
}

/** A space that was changed in this transaction. */
export async function readOwn(tx: Ctx & Tx, id: number): Promise<Space> {
  return toSpace(requireRank(await store.findSpaceById(tx.db, tx.actor, id), String(id), 'viewer'))
}

/** Rejects a slug that no space can have, and changes of what is fixed for a personal space. */
function rejectFixed(space: store.SpaceRow, change: SpaceChange): void {
  const { slug = space.slug, visibility, publicMetadata, defaultRole, accessRequests } = change
  if (slug !== space.slug) {
    rejectReserved(parseSlug(slug))
    if (space.kind === 'personal') throw fixed('/slug', 'A personal space has no slug of its own.')
  }
  if (space.kind === 'personal' && accessRequests !== undefined) {
    throw fixed('/accessRequests', 'A personal space is its owner’s alone: nobody may ask for access.')
  }
  if (space.kind === 'personal' && publicMetadata !== undefined) {
    throw fixed('/publicMetadata', 'A personal space is its owner’s alone: it is never public.')
  }
  if (space.kind === 'personal' && (visibility !== undefined || defaultRole !== undefined)) {
    throw fixed(
      visibility === undefined ? '/defaultRole' : '/visibility',
      'A personal space is its owner’s alone: its visibility and roles are fixed.',
    )
  }
}

function fixed(path: string, detail: string): AppError {
  return inputError('invalid_request', detail, path, 'is fixed here')
}

async function applyChange(tx: EventsCtx & Tx, space: store.SpaceRow, change: SpaceChange, now: Date): Promise<void> {
  const { slug = space.slug, name = space.name } = change
  const renames = slug !== space.slug
  await storeChange(tx, space, change, now)
  if (renames && !(await changeSlug(tx, space, slug)) && !tx.commitOutcomeUnknown) throw slugTaken(slug)
  await recordEvents(tx, [
    {
      kind: 'space.updated',
      spaceId: space.id,
      actor: tx.actor,
      at: now,
      data: { slug, name, ...(renames && { formerSlug: space.slug }) },
    },
  ])
  // Personal spaces are private: the administrators who read the log must not see them.
  if (space.kind === 'shared') {
    const target = toTarget({ id: space.id, slug, name })
    await recordAuditEntry(tx, { action: 'space.updated', target, details: change })
  }
}

/** Stores all but the slug. The pages of a space are indexed again if other words are to find them. */
async function storeChange(tx: Tx, space: store.SpaceRow, change: SpaceChange, now: Date): Promise<void> {
  const { defaultRole, accessRequests, icon, publicMetadata, slug: _, ...rest } = change
  await store.updateSpace(tx, space.id, {
    ...rest,
    ...(defaultRole && { default_role: defaultRole }),
    ...(accessRequests !== undefined && { access_requests: accessRequests }),
    ...(icon !== undefined && { icon: checkedIcon(icon) }),
    ...(publicMetadata !== undefined && { public_metadata: publicMetadata }),
    ...(space.visibility === 'private' && opens(space, change) && { opened_at: now }),
    updated_at: now,
  })
  if (changesWords(space, change)) await store.noteReindexing(tx, space.id)
}

/** The row of the requested space, with the errors of `requireSpace`. */
export async function requireRow(ctx: Ctx, slug: string, role: 'viewer' | 'admin'): Promise<store.SpaceRow> {
  const read = () => store.findSpace(ctx.db, ctx.actor, slug)
  const row = (await read()) ?? ((await openPersonalSpace(ctx, slug)) && (await read()))
  const renamedError = row ? undefined : await renamedSpace(ctx, slug, role)
  if (renamedError) throw renamedError
  return requireRank(row, slug, role)
}

/** A space as the target of an audit event. */
export function toTarget(space: Pick<store.SpaceRow, 'id' | 'slug' | 'name'>) {
  return { type: 'space', id: space.slug, name: space.name, spaceId: space.id } as const satisfies NewAuditTarget
}

function rejectReserved(slug: string): void {
  if (slug === 'personal')
    throw new AppError('slug_taken', 'The slug `personal` is reserved: it always means the caller’s own space.')
  if (slug === 'by-id')
    throw new AppError('slug_taken', 'The slug `by-id` is reserved: URLs of threads and share links have it.')
}

function slugTaken(slug: string): AppError {
  return new AppError('slug_taken', `The slug \`${slug}\` is already in use. Choose another one.`)
}

/** What a space reviews, and what a merge needs, with the defaults. */
function toReviewRules({ review }: Pick<store.SpaceRow, 'review'>): ReviewRules {
  return { people: 'direct', agents: 'direct', keys: 'people', approvals: 0, owners: [], checks: [], ...review }
}

type SpaceChange = Omit<UpdateSpace, 'review'> & { readonly review?: ReviewRules }

/** A change with the rules that stay. */
function withWholeReview(space: store.SpaceRow, { review, ...change }: UpdateSpace): SpaceChange {
  return { ...change, ...(review && { review: { ...toReviewRules(space), ...review } }) }
}

/** Throws unless an admin changes the rules of a shared space in person, with owners who exist. */
async function checkReview(tx: Ctx & Tx, { kind }: store.SpaceRow, { owners }: ReviewRules): Promise<void> {
  if (kind === 'personal') throw fixed('/review', 'A personal space is its owner’s alone: nobody else reviews there.')
  if (!isInPerson(tx.actor)) {
    const detail =
      'Only a person who is signed in with a browser changes what a merge needs: no key, no app and no agent.'
    throw new AppError('forbidden', detail)
  }
  const principals = owners.flatMap((owner) => owner.principals)
  const [unknown] = await listUnknown(tx.db, { principals, groups: owners.flatMap(({ groups }) => groups), guests: [] })
  if (unknown === undefined) return
  throw inputError('invalid_request', `There is no principal or group \`${unknown}\`.`, '/review/owners', 'is unknown')
}

/** A space as the API shows it. */
export function toSpace(row: store.SpaceRow): Space {
  // Patterns name folders that not all readers may know.
  const { owners, ...review } = toReviewRules(row)
  const { id: _, rank, ...shown } = row
  return {
    ...toItem(shown),
    accessRequests: row.kind === 'shared' && row.access_requests,
    review: rank >= 3 ? { ...review, owners } : review,
    role: toRole(rank) ?? 'viewer',
  }
}
