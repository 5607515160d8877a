import { Client, type OAuthDiscoveryState, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LOOPBACK } from './oauth.ts'

interface ClientInformation {
  client_id: string
}

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string | undefined
}

/** The memory of an app that uses an official client (`OAuthClientProvider` of both major versions). */
export class AppMemory {
  redirectedTo: URL | undefined
  readonly redirectUrl = LOOPBACK
  readonly clientMetadata = { client_name: 'Official', redirect_uris: [LOOPBACK] }
  /** Of an app with a metadata document. */
  readonly clientMetadataUrl?: string
  #client: ClientInformation | undefined
  #tokens: Tokens | undefined
  #discovery: OAuthDiscoveryState | undefined
  #verifier = ''

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }
  clientInformation() {
    return this.#client
  }
  saveClientInformation(client: ClientInformation) {
    this.#client = client
  }
  tokens() {
    return this.#tokens
  }
  saveTokens(tokens: Tokens) {
    this.#tokens = tokens
  }
  redirectToAuthorization(url: URL) {
    this.redirectedTo = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovery = state
  }
  discoveryState() {
    return this.#discovery
  }
}

/** An official client that connects to a URL, and signs in with OAuth. */
export interface OfficialClient extends AsyncDisposable {
  /** Rejected (`isUnauthorized`) after the client has redirected to the authorization server. */
  connect(): Promise<void>
  /** Continues at the redirect URI of the app. */
  finishAuth(back: URL): Promise<void>
  toolNames(): Promise<readonly string[]>
  /** The text of a result. */
  call(name: string, args?: Record<string, unknown>): Promise<string>
}

/** Whether a client needs the person to sign in. The error of the first major version has no name of its own. */
export function isUnauthorized(error: Error): boolean {
  return error.constructor.name === 'UnauthorizedError'
}

const INFO = { name: 'test', version: '1' }

function firstMajor(url: URL, authProvider: AppMemory): OfficialClient {
  const client = new FirstClient(INFO)
  let transport: FirstTransport
  return {
    connect() {
      transport = new FirstTransport(url, { authProvider })
      return client.connect(transport as Parameters<typeof client.connect>[0]) // declared without exactOptionalPropertyTypes
    },
    finishAuth: (back) => transport.finishAuth(back.searchParams.get('code') ?? ''),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function secondMajor(url: URL, authProvider: AppMemory): OfficialClient {
  const client = new Client(INFO)
  let transport: StreamableHTTPClientTransport
  return {
    connect() {
      transport = new StreamableHTTPClientTransport(url, { authProvider })
      return client.connect(transport)
    },
    finishAuth: (back) => transport.finishAuth(back.searchParams),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The TypeScript SDK by major version. */
export const OFFICIAL_CLIENTS = [
  ['first', firstMajor],
  ['second', secondMajor],
] as const
