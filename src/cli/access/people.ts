import type { Principal } from '../../client/types.ts'
import type { CommandCall } from '../call.ts'
import { EXIT } from '../command.ts'
import { clientOf } from '../connection.ts'
import { printJson, printList, printObject } from '../print.ts'
import { timeText } from '../table.ts'
import { requireChange } from './keys.ts'

type Kind = Principal['kind']
type OrgRole = Principal['role']

/** `recto principals list` */
export async function listPeopleCommand(call: CommandCall): Promise<number> {
  const [name, kind, role] = [call.option('name'), call.option('kind'), call.option('role')]
  const filter = {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind: kind as Kind }), // one of the choices
    ...(role !== undefined && { role: role as OrgRole }), // one of the choices
  }
  await printList(
    call,
    clientOf(call.terminal).principals.list(filter),
    [
      { title: 'ID', of: ({ id }) => id },
      { title: 'NAME', of: ({ name }) => name, cut: true },
      { title: 'E-MAIL', of: ({ email }) => email ?? '-', cut: true },
      { title: 'KIND', of: ({ kind }) => kind },
      { title: 'ROLE', of: ({ role }) => role },
      { title: 'STATE', of: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
      { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
    ],
    'No matching people or agents.',
  )
  return EXIT.done
}

/** `recto principals create` */
export async function createPersonCommand(call: CommandCall): Promise<number> {
  const email = call.option('email')
  const kind = (call.option('kind') ?? (email === undefined ? 'agent' : 'human')) as Kind // one of the choices
  const person = await clientOf(call.terminal).principals.create({
    kind,
    ...detailsOf(call),
    name: call.arg('name'),
  })
  printPerson(call, person, 'Created')
  return EXIT.done
}

/** `recto principals show` */
export async function showPersonCommand(call: CommandCall): Promise<number> {
  printObject(call, await clientOf(call.terminal).principals.get(call.arg('id')))
  return EXIT.done
}

/** `recto principals update` */
export async function updatePersonCommand(call: CommandCall): Promise<number> {
  const name = call.option('name')
  const change = requireChange({ ...(name !== undefined && { name }), ...detailsOf(call) })
  printPerson(call, await clientOf(call.terminal).principals.update(call.arg('id'), change), 'Changed')
  return EXIT.done
}

/** `recto principals disable` and `recto principals enable` */
export async function setDisabledCommand(call: CommandCall, disabled: boolean): Promise<number> {
  const person = await clientOf(call.terminal).principals.update(call.arg('id'), { disabled })
  call.terminal.out(`${disabled ? 'Disabled' : 'Enabled'} ${person.name}.\n`)
  return EXIT.done
}

/** `recto principals password-link`: prints only the link on standard output, for scripts. */
export async function passwordLinkCommand(call: CommandCall): Promise<number> {
  const link = await clientOf(call.terminal).principals.createPasswordLink(call.arg('id'))
  if (call.flag('json')) printJson(call, link)
  else {
    call.terminal.err(`It works once, until ${timeText(link.expiresAt)}; it is not shown again:\n`)
    call.terminal.out(`${link.url}\n`)
  }
  return EXIT.done
}

function detailsOf(call: CommandCall) {
  const email = call.option('email')
  const role = call.option('role') as OrgRole | undefined // one of the choices
  return { ...(email !== undefined && { email }), ...(role !== undefined && { role }) }
}

function printPerson(call: CommandCall, person: Principal, action: string): void {
  if (call.flag('json')) printJson(call, person)
  else call.terminal.out(`${action} ${person.name} (${person.id}).\n`)
}
