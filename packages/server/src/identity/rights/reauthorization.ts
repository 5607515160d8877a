import { AppError } from '@recto/contract/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Caller, includesScope, needsReview, requireRank, type Scope, toRank } from '../../access/caller.ts'
import type { CallerGuard, Ctx } from '../../access/ctx.ts'
import type { NeededPlace } from '../../access/space.ts'
import { memberJoin, rankAt, rankIn, ruleJoin, withReview } from '../../access/visibility.ts'
import { type Db, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { unauthorized } from '../principals/authenticate.ts'
import { findRights, HOLDER, type RightsQuestion, selectHolders, toRequests, WRITER } from './store-rights.ts'

/** A request whose caller was looked up so recently does not ask again, unless its work needs roles until its end. */
const FRESH_MS = 500
/** The SQLSTATE of the function `authorization_ended` in the database. */
const SQLSTATE = 'RO002'

/** The end of work whose caller lost a right that it needs, or that an admin cancelled. */
export class WorkEnded extends AppError {}

/**
 * Asks in each transaction of a request, and so before each batch of longer work, whether the caller may still do what
 * it began: the credential is valid, neither it nor the organisation role allows less than at the start, and the caller
 * has the roles that the work needs. The question is pipelined with the first statement of the transaction.
 */
export class Reauthorization implements CallerGuard {
  readonly #db: Db
  readonly #actor: Caller
  readonly #roles: readonly NeededPlace[] | undefined
  readonly #signal: AbortSignal | undefined
  readonly #since = performance.now()
  /** What the batch needs that the transaction asked for last. */
  #batch: readonly NeededPlace[] = []

  constructor({ db, actor, signal }: Pick<Ctx, 'db' | 'actor' | 'signal'>, roles?: readonly NeededPlace[]) {
    this.#db = db
    this.#actor = actor
    this.#roles = roles
    this.#signal = signal
  }

  get isDue(): boolean {
    return this.#roles !== undefined || this.#batch.length > 0 || performance.now() - this.#since > FRESH_MS
  }

  async enqueue(tx: Parameters<CallerGuard['enqueue']>[0]): Promise<void> {
    this.#signal?.throwIfAborted()
    if (this.isDue) await guard.enqueue(tx, this.#toArgs(this.#roles ?? []))
  }

  /** Asks in the middle of a transaction for the roles that its next batch needs. */
  async enqueueBatch(tx: Parameters<CallerGuard['enqueue']>[0], roles: readonly NeededPlace[]): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#batch = roles
    await guard.enqueue(tx, this.#toArgs(roles))
  }

  async errorFor(error: unknown): Promise<AppError | undefined> {
    if (!(error instanceof Error && 'code' in error && error.code === SQLSTATE)) return undefined
    try {
      await this.ask()
    } catch (endError) {
      if (endError instanceof AppError) return toWorkEnded(endError)
      throw endError
    }
    return new WorkEnded('forbidden', 'Your rights were changed while this ran. Send the rest again.')
  }

  async ask(): Promise<void> {
    this.#signal?.throwIfAborted()
    if (!this.isDue) return
    const roles = [...(this.#roles ?? []), ...this.#batch]
    const [rights] = await findRights(this.#db, [this.#question(roles)])
    if (!rights) throw unauthorized('The key, session or account of this request has ended.', 'invalid_token')
    for (const { id, slug, role, paths } of roles) {
      if (!paths) requireRank({ rank: rights.ranks.get(id) ?? 0 }, slug, role)
      for (const path of paths ?? []) requireRank({ rank: rights.rankAt(id, path) }, slug, role, path)
    }
    if (allowsLess(rights.actor, this.#actor)) {
      throw new AppError('forbidden', 'Your role, or the scope of your credential, was reduced while this ran.')
    }
  }

  #question(roles: readonly NeededPlace[]): RightsQuestion {
    return { actor: this.#actor, spaceIds: roles.map(({ id }) => id) }
  }

  #toArgs(roles: readonly NeededPlace[]): GuardArgs {
    const { orgRole, scope, spaceIds } = this.#actor
    return {
      requests: toRequests([this.#question(roles)]),
      needs: JSON.stringify(roles.map(toNeed)),
      orgAdmin: orgRole === 'admin',
      scope,
      spaceIds,
    }
  }
}

/** The context of work that needs some roles for as long as it takes: each of its transactions asks for them. */
export function withNeededRoles<C extends Ctx>(ctx: C, roles: readonly NeededPlace[]): C {
  return { ...ctx, reauthorization: new Reauthorization(ctx, roles) }
}

/** Asks in the middle of a transaction, before its next batch, whether the caller has the roles for that batch. */
export async function askBeforeBatch(tx: Ctx & Tx, roles: readonly NeededPlace[]): Promise<void> {
  if (!(tx.reauthorization instanceof Reauthorization)) return
  // What is merged has been reviewed.
  const neededPlaces = tx.actor.merges ? roles.map((place) => ({ ...place, role: 'organizer' as const })) : roles
  await tx.reauthorization.enqueueBatch(tx.db, neededPlaces)
}

/** The end of work by the error of a check in its middle. */
export function toWorkEnded(error: AppError): WorkEnded {
  return new WorkEnded(error.code, error.message, error.extras)
}

/** Runs long work; if it ends because a right was lost, or was cancelled, the error says how far it came. */
export async function tellingHowFar<T>(
  work: () => Promise<T>,
  tellProgress: () => { readonly text: string; readonly done: number; readonly total?: number | undefined },
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WorkEnded)) throw error
    const { text, done, total = null } = tellProgress()
    throw new AppError(error.code, `${error.message} ${text}`, { ...error.extras, members: { done, total } })
  }
}

function allowsLess(now: Caller, before: Caller): boolean {
  return (
    (before.orgRole === 'admin' && now.orgRole !== 'admin') ||
    !includesScope(now.scope, before.scope) ||
    (now.spaceIds !== null && !(before.spaceIds?.every((id) => now.spaceIds?.includes(id)) ?? false))
  )
}

/** The row `need` of the guard. */
function toNeed({ id, role, paths }: NeededPlace) {
  return { id, paths, rank: toRank(role), direct: needsReview(role) }
}

interface GuardArgs {
  readonly requests: string
  readonly needs: string
  readonly orgAdmin: boolean
  readonly scope: Scope
  readonly spaceIds: readonly number[] | null
}

const guard = write(
  'reauthorize',
  (a: GuardArgs) => sql<unknown>`
    with ${selectHolders(a.requests)}
    select authorization_ended() where not exists (
      select from holder
      where (not ${a.orgAdmin}::boolean or ${HOLDER.orgAdmin})
        and (holder.scopes is null or ${a.scope} = any(holder.scopes))
        and (holder.space_ids is null or holder.space_ids @> ${a.spaceIds}::bigint[])
        and not exists (select from jsonb_to_recordset(${a.needs}::jsonb) as need (id bigint, paths text[], rank int,
          direct boolean)
          cross join lateral (select coalesce(${rankOfNeed()}, 0) as rank) held
          where held.rank < need.rank or need.direct and held.rank <> trunc(held.rank)))`,
)

/** The lowest of the ranks at the places of the row `need`. */
function rankOfNeed(): RawBuilder<number | null> {
  return sql`(select case when need.paths is null then ${withReview(WRITER, rankIn(WRITER))} else (
      select min(${rankAt(WRITER)}) from unnest(need.paths) as place (path) ${ruleJoin(WRITER, sql`place.path`)}) end
    from space ${memberJoin(WRITER)} where space.id = need.id)`
}
