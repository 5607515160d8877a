import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printObject, printSecret } from '../print.ts'

/** `recto scim show` */
export async function showScimCommand(call: CommandCall): Promise<void> {
  const state = await openClient(call.terminal).scim.get()
  const { enabled, baseUrl, token, users, groups } = state
  const text = {
    state: enabled ? 'on' : 'off',
    url: baseUrl,
    token: token && `${token.hint}…`,
    lastRequest: token && (token.lastUsedAt ?? 'never'),
    people: users,
    groups,
  }
  printObject(call, call.flag('json') ? state : text)
}

/** `recto scim enable`: prints only the token on standard output, for scripts. */
export async function enableScimCommand(call: CommandCall): Promise<void> {
  const created = await openClient(call.terminal).scim.createToken()
  const { baseUrl } = created.provisioning
  const text = `SCIM is on at ${baseUrl}. Copy the token into your identity provider; it is shown this once.`
  printSecret(call, created, created.secret, text)
}

/** `recto scim disable` */
export async function disableScimCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).scim.endToken()
  call.terminal.out('SCIM is off.\n')
}
