import type { Principal } from '../../../client/src/types.ts'
import { given } from '../../../lib/src/given.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printList, printObject, printResult, printSecret } from '../print.ts'
import { oneLine, timeText } from '../table.ts'
import { requireChange } from './keys.ts'

type Kind = Principal['kind']
type OrgRole = Principal['role']

/** `recto principals list` */
export async function listPeopleCommand(call: CommandCall): Promise<void> {
  const filter = {
    name: call.option('name'),
    kind: call.option('kind') as Kind | undefined, // one of the choices
    role: call.option('role') as OrgRole | undefined, // one of the choices
  }
  const list = openClient(call.terminal).principals.list(given(filter))
  await printList(call, list, 'No matching people or agents.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name, cut: true },
    { title: 'E-MAIL', of: ({ email }) => email ?? '-', cut: true },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'STATE', of: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
    { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
  ])
}

/** `recto principals create` */
export async function createPersonCommand(call: CommandCall): Promise<void> {
  const email = call.option('email')
  const kind = (call.option('kind') ?? (email === undefined ? 'agent' : 'human')) as Kind // one of the choices
  const person = await openClient(call.terminal).principals.create({
    kind,
    ...readDetails(call),
    name: call.arg('name'),
  })
  printPerson(call, person, 'Created')
}

/** `recto principals show` */
export async function showPersonCommand(call: CommandCall): Promise<void> {
  printObject(call, await openClient(call.terminal).principals.get(call.arg('id')))
}

/** `recto principals update` */
export async function updatePersonCommand(call: CommandCall): Promise<void> {
  const change = requireChange({ ...given({ name: call.option('name') }), ...readDetails(call) })
  printPerson(call, await openClient(call.terminal).principals.update(call.arg('id'), change), 'Changed')
}

/** `recto principals disable` and `recto principals enable` */
export async function setDisabledCommand(call: CommandCall, disabled: boolean): Promise<void> {
  const person = await openClient(call.terminal).principals.update(call.arg('id'), { disabled })
  call.terminal.out(`${disabled ? 'Disabled' : 'Enabled'} ${oneLine(person.name)}.\n`)
}

/** `recto principals merge` */
export async function mergeCommand(call: CommandCall): Promise<void> {
  const person = await openClient(call.terminal).principals.merge(call.arg('id'), call.arg('into'))
  printResult(call, person, `Merged ${call.arg('id')} into ${person.name} (${person.id}).`)
}

/** `recto principals password-link`: prints only the link on standard output, for scripts. */
export async function passwordLinkCommand(call: CommandCall): Promise<void> {
  const link = await openClient(call.terminal).principals.createPasswordLink(call.arg('id'))
  printSecret(
    call,
    link,
    link.url,
    `It works once, until ${timeText(link.expiresAt)}; it is not shown again:`,
  )
}

function readDetails(call: CommandCall) {
  const role = call.option('role') as OrgRole | undefined // one of the choices
  return given({ email: call.option('email'), role })
}

function printPerson(call: CommandCall, person: Principal, action: string): void {
  printResult(call, person, `${action} ${person.name} (${person.id}).`)
}
