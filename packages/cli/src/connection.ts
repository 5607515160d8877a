import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@recto/client/client.ts'
import type { Operations } from '@recto/client/openapi-operations.ts'
import { toConnection } from '@recto/client/transport/connection.ts'
import { ApiError, ConnectionError } from '@recto/client/transport/errors.ts'
import { buildOperations } from '@recto/client/transport/operation.ts'
import { CommandError, DEFAULT_URL, type Terminal, UsageError } from './command.ts'
import { findProfile } from './login/profiles.ts'
import { createKeySource } from './login/tokens.ts'

const RETRY_TIMEOUT_MS = 60_000
/** For interactive commands. */
const SHORT_RETRY_TIMEOUT_MS = 1_500

/**
 * A client for the service that the environment names. Its first request, which checks the connection and the key, is
 * not retried, so that a service that does not run is reported at once.
 */
export async function connect({ env }: Terminal): Promise<Client> {
  const { url, key } = resolveConnection({ env })
  await checkConnection(createClient({ url, key, retryTimeout: 0 }), url)
  return createClient({ url, key, retryTimeout: RETRY_TIMEOUT_MS })
}

/** The same without the check; requests are retried for a short time. */
export function openClient(
  { env }: Pick<Terminal, 'env'>,
  options: { readonly retryTimeout: number; readonly timeout?: number } = { retryTimeout: SHORT_RETRY_TIMEOUT_MS },
): Client {
  return createClient({ ...resolveConnection({ env }), ...options })
}

/** The functions of plain operations, with the same retries. */
export function openOperations({ env }: Pick<Terminal, 'env'>): Operations {
  const connection = { ...resolveConnection({ env }), retryTimeout: SHORT_RETRY_TIMEOUT_MS }
  return buildOperations(toConnection(connection))
}

/** Where the service is, and how requests are authenticated. */
export interface ServiceConnection {
  readonly url: string
  readonly key: string | (() => Promise<string>)
}

/** URL and key of the service: of a profile, of the environment, or of the service on this machine. */
export function resolveConnection({ env }: Pick<Terminal, 'env'>): ServiceConnection {
  const profile = findProfile({ env })
  if (profile) return { url: profile.url, key: createKeySource({ env }, profile) }
  const url = trimOrigin(env.RECTO_URL || DEFAULT_URL)
  return { url, key: env.RECTO_API_KEY || keyInFile(env.SVC_DATA || './data') }
}

async function checkConnection(client: Client, url: string): Promise<void> {
  try {
    await client.me.get()
  } catch (error) {
    if (error instanceof ConnectionError) throw new CommandError(`${error.message}. Is Recto running there?`)
    if (error instanceof ApiError) throw new CommandError(`${url} rejects the request: ${error.message}`)
    throw error
  }
}

/** The URL of a service without a slash at the end. */
export function trimOrigin(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`the URL of the service must be one such as ${DEFAULT_URL}, not ${text}`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function keyInFile(data: string): string {
  const path = join(data, 'admin-api-key')
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? '' : ` (${path} cannot be read: ${message})`
    throw new CommandError(`not signed in: run \`recto login\`, or set RECTO_API_KEY${reason}`)
  }
}
