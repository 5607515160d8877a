import { changeMethods } from './operations/changes.ts'
import { fileMethods } from './operations/files.ts'
import { folderMethods } from './operations/folders.ts'
import { groupMethods } from './operations/groups.ts'
import { invitationMethods } from './operations/invitations.ts'
import { keyMethods } from './operations/keys.ts'
import { linkMethods } from './operations/links.ts'
import { meMethods } from './operations/me.ts'
import { metadataMethods } from './operations/metadata.ts'
import { pageMethods } from './operations/pages.ts'
import { auditMethods, jobMethods, principalMethods } from './operations/principals.ts'
import { rawPageMethods } from './operations/raw-pages.ts'
import { scimMethods } from './operations/scim.ts'
import { searchMethods } from './operations/search.ts'
import { spaceMethods } from './operations/spaces.ts'
import { spaceTemplateMethods, templateMethods } from './operations/templates.ts'
import { webhookMethods } from './operations/webhooks.ts'
import { anyRequest } from './transport/any-request.ts'
import type { Connection } from './transport/connection.ts'

export type { ChangesQuery, FollowOptions, PlacedChange } from './operations/changes.ts'
export type { ExportedPage, ExportPagesOptions } from './operations/export-pages.ts'
export type { FileListOptions, FileOptions, PutFileOptions } from './operations/files.ts'
export type { KeyListOptions } from './operations/keys.ts'
export type { MetadataQuery } from './operations/metadata.ts'
export type { NewPage, OfVersion, PutOptions } from './operations/pages.ts'
export type { Condition } from './operations/raw-pages.ts'
export type { SearchOptions } from './operations/search.ts'
export type { ExportOptions, ImportOptions } from './operations/transfer.ts'
export type { ChangeBody, UpdateOptions } from './operations/update-page.ts'
export type { RequestOptions } from './transport/any-request.ts'
export type { IfMatch } from './transport/condition.ts'
export type { Attempt, AttemptResponse, CallOptions, Hooks } from './transport/connection.ts'
export * from './transport/errors.ts'
export type { List, ListCall, Listing } from './transport/paging.ts'
export type * from './types.ts'
export { verifyWebhook, type WebhookRequest } from './webhook.ts'

/**
 * Client of the HTTP API. Operations are called by their `operationId`, such as `pages.get`. Every function throws `ApiError`,
 * `ConnectionError` or the reason of the signal.
 */
export type Client = ReturnType<typeof buildMethods>

/** `url` and `key` default to RECTO_URL and RECTO_API_KEY in the environment. */
export type ClientOptions = Partial<Connection>

const DEFAULT_URL = 'http://localhost:3000'
const TIMEOUT_MS = 60_000
const RETRY_TIMEOUT_MS = 30_000

/**
 * A client for one service and one key.
 *
 * ```js
 * const recto = createClient({ url: 'https://wiki.example.org', key: 'svc_...' })
 * const { title, body } = await recto.pages.get('docs', 'guide/start')
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const connection: Connection = {
    timeout: TIMEOUT_MS,
    retryTimeout: RETRY_TIMEOUT_MS,
    maxRetries: Number.POSITIVE_INFINITY,
    ...options,
    url: options.url ?? (fromEnvironment('RECTO_URL') || DEFAULT_URL),
    key: 'key' in options ? options.key : fromEnvironment('RECTO_API_KEY') || undefined,
  }
  return buildMethods(connection)
}

function buildMethods(connection: Connection) {
  return {
    pages: pageMethods(connection),
    folders: folderMethods(connection),
    files: fileMethods(connection),
    metadata: metadataMethods(connection),
    search: searchMethods(connection),
    links: linkMethods(connection),
    spaces: spaceMethods(connection),
    templates: templateMethods(connection),
    spaceTemplates: spaceTemplateMethods(connection),
    changes: changeMethods(connection),
    me: meMethods(connection),
    keys: keyMethods(connection),
    principals: principalMethods(connection),
    groups: groupMethods(connection),
    invitations: invitationMethods(connection),
    scim: scimMethods(connection),
    audit: auditMethods(connection),
    jobs: jobMethods(connection),
    webhooks: webhookMethods(connection),
    /** Pages as bytes, for programs that synchronise files. */
    rawPages: rawPageMethods(connection),
    request: anyRequest(connection),
  }
}

/** Absent in browsers. */
function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env?.[name]
}
