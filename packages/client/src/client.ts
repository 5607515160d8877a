import {
  administrationMethods,
  folderMethods,
  linkMethods,
  searchMethods,
  spaceMethods,
} from './operations/arguments.ts'
import { changeMethods } from './operations/changes.ts'
import { fileMethods } from './operations/files.ts'
import { pageMethods } from './operations/pages.ts'
import { rawPageMethods } from './operations/raw-pages.ts'
import { transferMethods } from './operations/transfer.ts'
import { anyRequest } from './transport/any-request.ts'
import { type Connection, toConnection } from './transport/connection.ts'
import { buildOperations } from './transport/operation.ts'
import type { Query } from './transport/operation-types.ts'
import type { ListCall } from './transport/paging.ts'

export type { MetadataQuery, SearchOptions } from './operations/arguments.ts'
export type { ChangesQuery, FollowOptions, PlacedChange } from './operations/changes.ts'
export type { ExportedPage, ExportPagesOptions } from './operations/export-pages.ts'
export type { FileListOptions, FileOptions, PutFileOptions } from './operations/files.ts'
export type { NewPage, OfVersion, PutOptions } from './operations/pages.ts'
export type { Condition } from './operations/raw-pages.ts'
export type { ExportOptions, ImportOptions } from './operations/transfer.ts'
export type { ChangeBody, UpdateOptions } from './operations/update-page.ts'
export type { RequestOptions } from './transport/any-request.ts'
export type { IfMatch, ProposalOptions } from './transport/condition.ts'
export type { Attempt, AttemptResponse, CallOptions, Hooks } from './transport/connection.ts'
export * from './transport/errors.ts'
export type { List, ListCall, Listing } from './transport/paging.ts'
export type * from './types.ts'
export { verifyWebhook, type WebhookRequest } from './webhook.ts'

/** Operations by their `operationId`. They throw `ApiError`, `ConnectionError` or the reason of the signal. */
export type Client = ReturnType<typeof buildMethods>

/** `url` and `key` default to RECTO_URL and RECTO_API_KEY in the environment. */
export type ClientOptions = Partial<Connection>

export type KeyListOptions = ListCall & Query<'me.keys.list'>

/**
 * A client for one service and one key.
 *
 * ```js
 * const recto = createClient({ url: 'https://wiki.example.org', key: 'svc_...' })
 * const { title, body } = await recto.pages.get('docs', 'guide/start')
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  return buildMethods(toConnection(options))
}

function buildMethods(connection: Connection) {
  const operations = buildOperations(connection)
  return {
    ...operations,
    ...searchMethods(operations),
    ...administrationMethods(operations),
    pages: pageMethods(connection, operations),
    folders: folderMethods(operations),
    files: fileMethods(connection, operations),
    links: linkMethods(operations),
    spaces: { ...spaceMethods(operations), ...transferMethods(connection) },
    changes: changeMethods(connection),
    /** Pages as bytes, for programs that synchronise files. */
    rawPages: rawPageMethods(connection),
    request: anyRequest(connection),
  }
}
