import { randomUUID } from 'node:crypto'
import type { Options } from '../../support/client.ts'

/**
 * Who may use a route. `public`: anyone at all. `caller`: whoever has a valid credential. `viewer`, `editor`, `admin`:
 * who has at least that role in the space of the address (`:space`, of a screen `:slug`, or `personal`). `org-admin`,
 * `key-maker`, `space-maker`: as the model says.
 */
export type Rule = 'public' | 'caller' | 'viewer' | 'editor' | 'admin' | 'org-admin' | 'key-maker' | 'space-maker'

/** What a request is made from: a space with the page `page`, whose texts hold the marker. */
export interface Place {
  readonly slug: string
  readonly marker: string
}

export interface RouteRule {
  readonly rule: Rule
  /** What whoever may is answered; 200 where it is left out. It must change nothing that the model knows. */
  readonly ok?: readonly number[]
  /** The request, where the bare address is not enough. */
  readonly send?: (place: Place) => Options & { readonly query?: string }
  /** Values for parameters of the address, where they are not `page`, version 1 and the id of nothing. */
  readonly params?: Readonly<Record<string, string>>
  /**
   * What callers without an account are answered in public spaces, `true`: the same as others; `metadata`: the same
   * where the metadata is public, and else 404. Absent: it is not for them.
   */
  readonly visitors?: true | 'metadata' | readonly number[]
  /** Whether it brings in people, or lets somebody sign in as another: for persons with an unlimited credential. */
  readonly begets?: boolean
  /** Whether it needs a session of the Model Context Protocol. */
  readonly inSession?: boolean
  /** Whether a node answers only a few of these at a time. */
  readonly alone?: boolean
  /** Whether `?space=` limits it to one space, under the rule `viewer` (for `org-admin`: under its own). */
  readonly takesSpace?: boolean
  /** The slugs of the spaces that a list shows; it must be those that the caller can read. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly shows?: (json: any) => readonly string[]
}

export const NOTHING = '00000000-0000-7000-8000-000000000000'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export const spacesOf = (json: any): string[] => json.items.map((item: { space: string }) => item.space)
/** A body. */
export const json = (value: unknown) => () => ({ json: value })
/** A group with a name that no other has. */
export const newGroup = () => ({ json: { name: `Group ${randomUUID()}` } })
/** As a browser asks. */
export const html = () => ({ headers: { accept: 'text/html' } })

export const inSpace = ({ slug }: Place) => ({ space: slug })
export const ofPage = ({ slug }: Place) => ({ space: slug, path: 'page' })

/** A message of the Model Context Protocol. */
export function rpc(method: string, params: unknown): Options {
  return { json: { jsonrpc: '2.0', id: 1, method, params }, headers: { accept: 'application/json, text/event-stream' } }
}

/** The message that begins a session. */
export function initialize(): Options {
  const clientInfo = { name: 'test', version: '1' }
  return rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
}

/** The call of a tool, as agents send it. */
export function tool(name: string, args: (place: Place) => Readonly<Record<string, unknown>> = () => ({})) {
  return (place: Place) => rpc('tools/call', { name, arguments: { ...args(place), format: 'detailed' } })
}

/** The call of a tool that lists, whose items name their space by this member. */
export function listTool(name: string, member = 'space', args: Readonly<Record<string, unknown>> = {}, limit = 200) {
  return {
    send: tool(name, () => ({ ...args, limit })),
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    shows: (json: any): string[] => json.items.map((item: Record<string, string>) => item[member]),
  }
}

/** Rules by route, such as `GET /me`. */
export type RouteRules = Readonly<Record<string, RouteRule>>
