import { type AccessMethods, accessMethods } from './access.ts'
import { type ChangeMethods, changeMethods } from './changes.ts'
import { type FileMethods, fileMethods } from './files.ts'
import { type GroupMethods, groupMethods } from './groups.ts'
import { type InvitationMethods, invitationMethods } from './invitations.ts'
import { type LinkMethods, linkMethods } from './links.ts'
import { type MetadataMethods, metadataMethods } from './metadata.ts'
import { type PageMethods, pageMethods } from './pages.ts'
import { type RawPageMethods, rawPageMethods } from './raw-pages.ts'
import type { Connection } from './request.ts'
import { type SpaceMethods, spaceMethods } from './spaces.ts'
import { type TemplateMethods, templateMethods } from './templates.ts'
import { type TransferMethods, transferMethods } from './transfer.ts'
import { type UpdateMethods, updateMethods } from './update-page.ts'
import { type WebhookMethods, webhookMethods } from './webhooks.ts'

export type { KeyListOptions } from './access.ts'
export type { ChangesQuery, PlacedChange } from './changes.ts'
export type { IfMatch } from './condition.ts'
export { ApiError, ConnectionError, type CurrentPage } from './errors.ts'
export type { FileListOptions, FileOptions, PutFileOptions } from './files.ts'
export type { OfSpace } from './invitations.ts'
export type { MetadataQuery, SearchOptions } from './metadata.ts'
export type { NewPage, OfVersion, PutOptions } from './pages.ts'
export type { List, Listing } from './paging.ts'
export type { Condition } from './raw-pages.ts'
export type { ExportOptions, ImportOptions } from './transfer.ts'
export type * from './types.ts'
export type { ChangeBody, UpdateOptions } from './update-page.ts'
export { verifyWebhook, type WebhookRequest } from './webhook.ts'

/** Client of the HTTP API. Every function throws `ApiError`, `ConnectionError` or the reason of the signal. */
export interface Client
  extends AccessMethods,
    ChangeMethods,
    FileMethods,
    GroupMethods,
    InvitationMethods,
    LinkMethods,
    MetadataMethods,
    PageMethods,
    RawPageMethods,
    SpaceMethods,
    TemplateMethods,
    TransferMethods,
    UpdateMethods,
    WebhookMethods {}

export interface ClientOptions extends Omit<Connection, 'retryTimeoutMs'> {
  /** How long a request is retried, in milliseconds; 30 seconds by default. */
  readonly retryTimeoutMs?: number
}

const RETRY_TIMEOUT_MS = 30_000

/** A client for one service and one key. */
export function createClient(options: ClientOptions): Client {
  const connection: Connection = { retryTimeoutMs: RETRY_TIMEOUT_MS, ...options }
  const pages = pageMethods(connection)
  return {
    ...accessMethods(connection),
    ...changeMethods(connection),
    ...fileMethods(connection),
    ...groupMethods(connection),
    ...invitationMethods(connection),
    ...linkMethods(connection),
    ...metadataMethods(connection),
    ...pages,
    ...rawPageMethods(connection),
    ...spaceMethods(connection),
    ...templateMethods(connection),
    ...transferMethods(connection),
    ...updateMethods(pages),
    ...webhookMethods(connection),
  }
}
