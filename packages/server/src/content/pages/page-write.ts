import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Preconditions } from '../../access/preconditions.ts'
import type { Operation } from '../metadata/patch.ts'
import type { PageAfterWrite } from './schema.ts'
import type { BodyData } from './writing/derive-body.ts'

/** A page to be written. */
export interface WritePage {
  readonly space: string
  readonly path: string
  readonly body: Buffer
  readonly note: string | undefined
  readonly preconditions: Preconditions
  /** The version whose body this is, when an old revision is restored. */
  readonly restoredFrom?: number
  /** The metadata of a new page; an error if the page exists. */
  readonly metadata?: readonly Operation[]
  /** The version of the page in the trash that a proposal restores. */
  readonly trashedVersion?: number
  /** Rejects a new page at an address that redirects, as `If-None-Match: *` does. */
  readonly keepsRedirect?: boolean
}

export interface CheckedWrite extends WritePage {
  readonly redirectEnded: PageAddress | undefined
}

export interface WrittenPage {
  readonly page: PageAfterWrite
  readonly created: boolean
}

/** The stored form of the body. */
export interface Draft extends BodyData {
  readonly revisionId: string
  readonly now: Date
}
