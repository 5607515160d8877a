import { sql } from 'kysely'
import { read, write } from '../../../platform/database/database.ts'

interface VariantKey {
  readonly digest: Buffer
  readonly name: string
}

/** A stored variant, or the permanent failure to create it. */
export interface VariantRow {
  readonly data: Buffer | null
  readonly content_type: string | null
  readonly width: number | null
  readonly height: number | null
  readonly failure: string | null
}

/** Claims the creation of a variant; no row: it exists, or another node holds the claim. */
export const claimVariant = write(
  'claim_variant',
  (a: VariantKey & { claim: string; seconds: number }) => sql<{ claim: string }>`
    insert into blob_variant (digest, name, claim, claimed_until)
    values (${a.digest}::bytea, ${a.name}, ${a.claim}::uuid, now() + make_interval(secs => ${a.seconds}::float8))
    on conflict (digest, name) do update set claim = excluded.claim, claimed_until = excluded.claimed_until
      where blob_variant.data is null and blob_variant.failure is null and blob_variant.claimed_until <= now()
    returning claim`,
)

/** Stores the result of a claim, a variant or a failure; no row: another node has the claim now. */
export const storeVariant = write(
  'store_variant',
  (a: VariantKey & VariantRow & { claim: string }) => sql<{ claim: string }>`
    update blob_variant set data = ${a.data}::bytea, content_type = ${a.content_type}::text, width = ${a.width}::int,
      height = ${a.height}::int, failure = ${a.failure}::text
    where digest = ${a.digest}::bytea and name = ${a.name} and claim = ${a.claim}::uuid and data is null
      and failure is null
    returning claim`,
)

/** Releases a claim, so that the next request tries again. */
export const releaseVariant = write(
  'release_variant',
  (a: VariantKey & { claim: string }) => sql<unknown>`
    update blob_variant set claimed_until = now()
    where digest = ${a.digest}::bytea and name = ${a.name} and claim = ${a.claim}::uuid and data is null
      and failure is null`,
)

/** A stored variant, or its failure; no row: neither exists. */
export const readVariant = read(
  'read_variant',
  (a: VariantKey) => sql<VariantRow>`
    select data, content_type, width, height, failure from blob_variant
    where digest = ${a.digest}::bytea and name = ${a.name} and (data is not null or failure is not null)`,
)
