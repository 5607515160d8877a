import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { enumSchema, nullable } from '../platform/http/schemas.ts'
import { actorJson } from './authors.ts'
import type { Actor } from './caller.ts'
import type { DraftedPage, DraftHead } from './overlay.ts'
import { authorSchema, timeSchema } from './schema.ts'

/** `changed` comes before `expired`: what is read is not what was verified. */
const STATUSES = ['current', 'changed', 'expired'] as const

export const verificationSchema = Type.Object(
  {
    version: Type.Integer({ description: 'The version that was verified.' }),
    by: authorSchema,
    at: timeSchema,
    until: nullable(timeSchema, 'Null: it does not expire.'),
    status: enumSchema(
      STATUSES,
      '`changed`: the page has a newer version. `expired`: it has not, but `until` has passed.',
    ),
  },
  { description: 'Who said that a version of the page is right.' },
)
export type Verification = Static<typeof verificationSchema>

export const trustSchema = Type.Object(
  {
    lastEditBy: enumSchema(['person', 'agent', 'app'], 'Who wrote the latest version; `app`: an app for a person.'),
    verification: nullable(enumSchema(STATUSES), 'The status of the verification.'),
  },
  { description: 'How far people stand behind the page.' },
)
export type Trust = Static<typeof trustSchema>

/** What a search asks for: a verified page, or one that a person wrote last or that is verified. */
export const TRUST_LEVELS = ['verified', 'person'] as const
export type TrustLevel = (typeof TRUST_LEVELS)[number]

/** The verification of a page in a row. */
export interface VerifiedRow {
  /** Null: nobody verified it. */
  readonly verification: {
    readonly version: number
    readonly by: Actor
    readonly at: string
    readonly until: string | null
  } | null
}

/** `VerifiedRow` of the row `page`. Where there is none, which is usual, nothing is looked up. */
export const verificationColumn = sql<VerifiedRow['verification']>`case when page.verified_version is not null then (
    select json_build_object('version', page.verified_version, 'at', page.verified_at, 'until', page.verified_until,
      'by', ${actorJson('verifier')})
    from principal verifier where verifier.id = page.verified_by) end as verification`

/** The verification of a page whose latest version is `latest`. */
export function toVerification({ verification }: VerifiedRow, latest: number, now: Date): Verification | null {
  if (!verification) return null
  const { version, by, at, until } = verification
  const end = until === null ? null : new Date(until)
  const status = version !== latest ? 'changed' : end !== null && end <= now ? 'expired' : 'current'
  return { version, by, at: new Date(at).toISOString(), until: end?.toISOString() ?? null, status }
}

/** The verification of the page of a row. What a change request creates at the address of a page has none. */
export function findVerification(
  row: VerifiedRow & DraftedPage<DraftHead> & { readonly version: number; readonly latest_version?: number },
  now: Date,
): Verification | null {
  return row.draft?.page_id === null ? null : toVerification(row, row.latest_version ?? row.version, now)
}

/** How far people stand behind a page that `editor` wrote last. */
export function toTrust({ kind, via }: Actor, verification: Verification | null): Trust {
  const lastEditBy = via !== undefined ? 'app' : kind === 'agent' ? 'agent' : 'person'
  return { lastEditBy, verification: verification?.status ?? null }
}

/** Whether the row `page` has the trust that a search asks for. */
export function isTrusted(level: TrustLevel, now: Date): RawBuilder<boolean> {
  const isVerified = hasStatus('current', now)
  if (level === 'verified') return isVerified
  return sql<boolean>`(${isVerified} or page.updated_via is null
    and exists (select from principal where principal.id = page.updated_by and principal.kind = 'human'))`
}

/** Whether the verification of the row `page` has a status, as `toVerification` decides. */
export function hasStatus(status: Verification['status'], now: Date): RawBuilder<boolean> {
  if (status === 'changed') return sql<boolean>`page.verified_version <> page.version`
  const isOver = sql`coalesce(page.verified_until <= ${now}::timestamptz, false)`
  return sql<boolean>`(page.verified_version = page.version and ${isOver} = ${status === 'expired'})`
}

/** The version that stays verified when the row `item` becomes `next`, a copy of its latest version. */
export function verifiedCopy(next: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`verified_version = case when item.verified_version = item.version then ${next}
    else item.verified_version end`
}
