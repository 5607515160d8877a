import type { InMemoryServerEventBus } from '@modelcontextprotocol/server'
import { AppError } from '@recto/contract/errors.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { EVENT_KINDS } from '../../events/feed/event.ts'
import type { FeedEntry } from '../../events/feed/schema.ts'
import { parseResourceUri, type ResourceAddress } from './resource-uri.ts'

type ServerEvent = Parameters<InMemoryServerEventBus['publish']>[0]

/** Resources of one subscription, or of one session. */
export const MAX_SUBSCRIBED = 1_000

/** The events that change resources or prompts; metadata, verifications, files and comments are neither. */
export const SUBSCRIBED_KINDS = EVENT_KINDS.filter(
  (kind) => kind !== 'page.metadata.updated' && !/^(?:file|comment|thread)\.|verified$/.test(kind),
)

/** Whether a message opens a stream of notifications (MCP specification 2026-07-28, Subscriptions). */
export function isListen(body: unknown): boolean {
  return isJsonObject(body) && body.method === 'subscriptions/listen'
}

/** The URIs of the subscription as the client wrote them, by the page or space that they name. */
export function subscribedUris(body: unknown): ReadonlyMap<string, readonly string[]> {
  const params = isJsonObject(body) ? body.params : undefined
  const filter = isJsonObject(params) ? params.notifications : undefined
  const uris = isJsonObject(filter) && Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
  if (uris.length > MAX_SUBSCRIBED) {
    throw new AppError('invalid_request', `A subscription has at most ${MAX_SUBSCRIBED} resources.`)
  }
  const urisBySpace = new Map<string, string[]>()
  for (const uri of uris) {
    const key = typeof uri === 'string' ? keyOfUri(uri) : undefined
    if (key !== undefined) urisBySpace.set(key, [...(urisBySpace.get(key) ?? []), uri])
  }
  return urisBySpace
}

/** What a change of the feed means to the subscriber. */
export function toEvents(change: FeedEntry, uris: ReadonlyMap<string, readonly string[]>): ServerEvent[] {
  const updatedUris = listResources(change).flatMap((key) => uris.get(key) ?? [])
  const isTemplate = listAddresses(change).some(({ path }) => path?.startsWith('templates/'))
  return [
    ...updatedUris.map((uri): ServerEvent => ({ kind: 'resource_updated', uri })),
    ...(change.event === 'page.updated' || change.changeRequest ? [] : [{ kind: 'resources_list_changed' } as const]),
    ...(isTemplate ? [{ kind: 'prompts_list_changed' } as const] : []),
  ]
}

/** The keys of the pages and spaces, or of the change request, that a change updates. */
export function listResources(change: FeedEntry): string[] {
  if (change.changeRequest) return [resourceKey(change.changeRequest)]
  return [...new Set(listAddresses(change).flatMap(({ space, path }) => [space, resourceKey({ space, path })]))]
}

function listAddresses(change: FeedEntry): { readonly space: string; readonly path?: string }[] {
  const { page, space, from } = change
  return [...(page ? [page] : []), ...(from ? [from] : []), ...(space ? [{ space: space.slug }] : [])]
}

function keyOfUri(uri: string): string | undefined {
  try {
    return resourceKey(parseResourceUri(uri))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The key of a page, space or change request, such as `docs/setup`, `docs` or `docs#12`. */
export function resourceKey({ space, path, number }: ResourceAddress): string {
  if (number !== undefined) return `${space}#${number}`
  return path === undefined ? space : `${space}/${path}`
}
