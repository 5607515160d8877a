import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Language } from '@recto/lib/languages.ts'
import { sql } from 'kysely'
import { autocommit, type Db, queryRows, read, type WriteDb } from '../platform/database/database.ts'
import { t } from '../platform/language/t.ts'
import type { Visibility } from './addressed-page.ts'
import { type Caller, type NeededRole, type Rank, requireRank } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { renamedSpace } from './missing.ts'
import {
  type AccessSubject,
  addressed,
  hiddenJoin,
  joinHidden,
  memberJoin,
  type ReadableParts,
  rankAt,
  rankIn,
  ruleJoin,
  type SpaceAddress,
  toAccessSubject,
  toSpaceAddress,
} from './visibility.ts'

/** A space as the caller sees it. */
export interface SpaceAccess {
  readonly id: number
  /** `personal` for the caller's own. */
  readonly slug: string
  readonly name: string
  readonly kind: 'shared' | 'personal'
  readonly visibility: Visibility
  readonly language: Language
  readonly rank: Rank
}

/**
 * The space, if the caller has at least `role` in it. Throws `not_found` if it does not exist or is invisible
 * (indistinguishable), and `forbidden` if the caller sees it but has a lower role.
 */
export async function requireSpace(ctx: Ctx, slug: string, role: NeededRole): Promise<SpaceAccess> {
  const space = (await findSpace(ctx.db, ctx.actor, slug)) ?? (await openPersonalSpace(ctx, slug))
  const renamedError = space ? undefined : await renamedSpace(ctx, slug, role)
  if (renamedError) throw renamedError
  return requireRank(space, slug, role)
}

/**
 * The space of an address with the caller's rank at its path, if that is enough for `role`; an empty path is the space
 * as a whole. Throws as `requireSpace`: what the caller cannot see there is as what does not exist.
 */
export async function requirePlace(
  ctx: Ctx,
  { space: slug, path }: PageAddress,
  role: NeededRole,
): Promise<SpaceAccess> {
  if (path === '') return requireSpace(ctx, slug, role)
  const read = () => placeStatements[toSpaceAddress(slug)].first(ctx.db, { ...toAccessSubject(ctx.actor), slug, path })
  const space = (await read()) ?? ((await openPersonalSpace(ctx, slug)) && (await read()))
  const renamedError = space ? undefined : await renamedSpace(ctx, slug, role)
  if (renamedError) throw renamedError
  return requireRank(space, slug, role, path)
}

/** The caller's rank at a path of a space, and the folder whose rule decides there; null: no rule does. */
export interface RankedPath {
  readonly path: string
  readonly rank: Rank
  readonly prefix: string | null
}

/** The caller's ranks at some paths of a space, each path once. */
export async function rankPaths(
  { db, actor }: Pick<Ctx, 'db' | 'actor'>,
  spaceId: number,
  paths: readonly string[],
): Promise<RankedPath[]> {
  const subject = toAccessSubject(actor)
  return queryRows<RankedPath>(db)`
    select given.path, ${rankAt(subject)} as rank, place_rule.prefix
    from (select distinct path from unnest(${paths}::text[]) as path) given join space on space.id = ${spaceId}
      ${memberJoin(subject)} ${ruleJoin(subject, sql`given.path`)}
    order by given.path collate "C"`
}

/** A place of a space where somebody needs a role. */
export interface NeededPlace {
  readonly id: number
  readonly slug: string
  readonly role: NeededRole
  /** The folders whose rules decide there; absent: no rule does. */
  readonly paths?: readonly string[]
}

/** Throws, as `requirePlace`, unless the caller has `role` at each of some paths. */
export async function requirePaths(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  { id, slug }: Pick<SpaceAccess, 'id' | 'slug'>,
  paths: readonly string[],
  role: NeededRole,
): Promise<RankedPath[]> {
  const rows = await rankPaths(ctx, id, paths)
  for (const row of rows) requireRank(row, slug, role, row.path)
  return rows
}

/** Where work on some paths needs a role: once for each rule that decides. */
export function toNeededPlaces(
  { id, slug }: Pick<SpaceAccess, 'id' | 'slug'>,
  rows: readonly Pick<RankedPath, 'prefix'>[],
  role: NeededRole,
): NeededPlace[] {
  const prefixes = new Set(rows.map(({ prefix }) => prefix))
  return [...prefixes].map((prefix) => ({ id, slug, role, ...(prefix !== null && { paths: [prefix] }) }))
}

/** The space, if the caller may be able to write somewhere in it: guests have folders. */
export async function requireWriter(ctx: Ctx, slug: string, role: NeededRole = 'editor'): Promise<SpaceAccess> {
  return requireSpace(ctx, slug, ctx.actor.guest ? 'viewer' : role)
}

/** The personal space is created when its owner first uses it. */
export async function openPersonalSpace(ctx: Ctx, slug: string): Promise<SpaceAccess | undefined> {
  if (slug !== 'personal' || ctx.actor.spaceIds !== null || ctx.actor.guest) return undefined
  await insertPersonalSpace(autocommit(ctx.db), ctx.actor.id, ctx.now())
  return findSpace(ctx.db, ctx.actor, slug)
}

/** Creates the personal space of a principal, unless there is one; with a name in their language. */
export async function insertPersonalSpace(db: WriteDb, ownerId: string, now: Date): Promise<void> {
  await sql`insert into space (kind, name, visibility, default_role, owner_id, created_at, created_by, updated_at)
    values ('personal', ${t('Personal')}, 'private', 'viewer', ${ownerId}, ${now}, ${ownerId}, ${now})
    on conflict (owner_id) do nothing`.execute(db)
}

/** A space that the caller can read something of. */
export interface ReadableSpace {
  readonly id: number
  readonly slug: string
  /** The places that folder rules hide from the caller; null: none. */
  readonly hidden: string | null
}

/** The spaces that the caller can read, in the order of their slugs; with a slug only this one, or an error. */
export async function readableSpaces(ctx: Ctx, slug?: string): Promise<readonly ReadableSpace[]> {
  const subject = toAccessSubject(ctx.actor)
  if (slug === undefined) return readReadable.all(ctx.db, subject)
  const readOne = () => readOneReadable[toSpaceAddress(slug)].all(ctx.db, { ...subject, slug })
  const spaces = await readOne()
  if (spaces.length > 0) return spaces
  // An error, unless it is the personal space, which is created now.
  await requireSpace(ctx, slug, 'viewer')
  return readOne()
}

/** What the caller can read, for a statement with `readableTables`. */
export async function readableParts(ctx: Ctx): Promise<ReadableParts> {
  const spaces = await readableSpaces(ctx)
  return { spaceIds: spaces.map(({ id }) => id), hidden: joinHidden(spaces) }
}

const selectReadable = (subject: AccessSubject) => sql<ReadableSpace>`
    select space.id, coalesce(space.slug, 'personal') as slug, hidden.places::text as hidden
    from space ${memberJoin(subject)} ${hiddenJoin(subject)} where ${rankIn(subject)} >= 1`

const readReadable = read(
  'readable_spaces',
  (subject: AccessSubject) =>
    sql<ReadableSpace>`${selectReadable(subject)} order by coalesce(space.slug, 'personal') collate "C"`,
)

const readOneReadable = { slug: readableSpace('slug'), personal: readableSpace('personal') }

function readableSpace(address: SpaceAddress) {
  return read(
    `readable_space_by_${address}`,
    (a: AccessSubject & { readonly slug: string }) =>
      sql<ReadableSpace>`${selectReadable(a)} and ${addressed(address, a, a.slug)}`,
  )
}

async function findSpace(db: Db, actor: Caller, slug: string): Promise<SpaceAccess | undefined> {
  return spaceStatements[toSpaceAddress(slug)].first(db, { ...toAccessSubject(actor), slug })
}

const spaceStatements = { slug: spaceStatement('slug'), personal: spaceStatement('personal') }
const placeStatements = { slug: placeStatement('slug'), personal: placeStatement('personal') }

function spaceStatement(address: SpaceAddress) {
  return read(
    `space_by_${address}`,
    (a: AccessSubject & { readonly slug: string }) => sql<SpaceAccess>`
      select space.id, coalesce(space.slug, 'personal') as slug, space.name, space.kind, space.visibility,
        space.language, ${rankIn(a)} as rank
      from space ${memberJoin(a)} where ${addressed(address, a, a.slug)}`,
  )
}

function placeStatement(address: SpaceAddress) {
  return read(
    `place_by_${address}`,
    (a: AccessSubject & { readonly slug: string; readonly path: string }) => sql<SpaceAccess>`
      select space.id, coalesce(space.slug, 'personal') as slug, space.name, space.kind, space.visibility,
        space.language, ${rankAt(a)} as rank
      from space ${memberJoin(a)} ${ruleJoin(a, a.path)} where ${addressed(address, a, a.slug)}`,
  )
}
