import type { CommandCall } from '../call.ts'
import { EXIT } from '../command.ts'
import { clientOf } from '../connection.ts'
import { printJson, printObject } from '../print.ts'

/** `recto scim show` */
export async function showScimCommand(call: CommandCall): Promise<number> {
  const state = await clientOf(call.terminal).scim.get()
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
  return EXIT.done
}

/** `recto scim enable`: prints only the token on standard output, for scripts. */
export async function enableScimCommand(call: CommandCall): Promise<number> {
  const created = await clientOf(call.terminal).scim.createToken()
  if (call.flag('json')) {
    printJson(call, created)
    return EXIT.done
  }
  const { baseUrl } = created.provisioning
  call.terminal.err(
    `SCIM is on at ${baseUrl}. Copy the token into your identity provider; it is shown this once.\n`,
  )
  call.terminal.out(`${created.secret}\n`)
  return EXIT.done
}

/** `recto scim disable` */
export async function disableScimCommand(call: CommandCall): Promise<number> {
  await clientOf(call.terminal).scim.endToken()
  call.terminal.out('SCIM is off.\n')
  return EXIT.done
}
