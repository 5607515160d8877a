import type { ApiKey, CreatedKey } from '../../../client/src/types.ts'
import { newToken } from '../../../lib/src/encoding/token.ts'
import { given } from '../../../lib/src/given.ts'
import type { CommandCall } from '../call.ts'
import { UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printList, printObject, printSecret } from '../print.ts'
import { type Column, timeText } from '../table.ts'

const SCOPES = ['read', 'write', 'admin'] as const

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name, cut: true },
  { title: 'KEY', of: ({ hint }) => `${hint}…` },
  { title: 'PRINCIPAL', of: ({ principal }) => principal.name, cut: true },
  { title: 'SCOPES', of: ({ scopes }) => scopes.join(', ') },
  { title: 'SPACES', of: ({ spaces }) => spaces?.join(', ') ?? 'all', cut: true },
  { title: 'LAST USED', of: ({ lastUsedAt }) => timeText(lastUsedAt) },
  { title: 'EXPIRES', of: ({ expiresAt }) => timeText(expiresAt) },
]
const REVOKED: Column<ApiKey> = { title: 'REVOKED', of: ({ revokedAt }) => timeText(revokedAt) }

/** `recto keys list` */
export async function listKeysCommand(call: CommandCall): Promise<void> {
  const client = openClient(call.terminal)
  const principal = call.option('principal')
  const includeRevoked = call.flag('revoked') || undefined
  const ofOthers = call.flag('everyone') || principal !== undefined
  const list = ofOthers
    ? client.keys.list({ principal, includeRevoked })
    : client.me.keys.list({ includeRevoked })
  await printList(call, list, 'No keys.', includeRevoked ? [...COLUMNS, REVOKED] : COLUMNS)
}

/** `recto keys create`: prints only the secret on standard output, for scripts. */
export async function createKeyCommand(call: CommandCall): Promise<void> {
  const scope = SCOPES.find((word) => word === (call.option('scope') ?? 'read')) ?? 'read'
  const [spaces, principal] = [call.list('space'), call.option('principal')]
  const key = {
    name: call.arg('name'),
    scopes: [scope],
    ...(spaces.length > 0 && { spaces }),
    ...given({ expiresAt: call.option('expires') }),
  }
  const client = openClient(call.terminal)
  const made: CreatedKey =
    principal === undefined
      ? await client.me.keys.create(key)
      : await client.keys.create({ ...key, principal })
  const { id, name, principal: owner } = made.apiKey
  const text = `Created the key ${name} (${id}) of ${owner.name}. Copy it now; it is not shown again:`
  printSecret(call, made, made.secret, text)
}

/** `recto keys revoke` */
export async function revokeKeyCommand(call: CommandCall): Promise<void> {
  const client = openClient(call.terminal)
  const id = call.arg('id')
  if (call.flag('any')) await client.keys.revoke(id)
  else await client.me.keys.revoke(id)
  call.terminal.out(`Revoked ${id}.\n`)
}

/** `recto keys generate`: prints a random key that no service knows yet. */
export async function generateKeyCommand({ terminal }: CommandCall): Promise<void> {
  terminal.out(`${newToken('svc_')}\n`)
}

/** `recto whoami` */
export async function whoamiCommand(call: CommandCall): Promise<void> {
  printObject(call, await openClient(call.terminal).me.get())
}

/** Throws if there is nothing to change. */
export function requireChange<T extends object>(change: T): T {
  if (Object.keys(change).length === 0) throw new UsageError('nothing to change: use at least one option')
  return change
}
