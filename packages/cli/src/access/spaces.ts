import type { Candidate, Space, SpaceRole, TemplateSource } from '../../../client/src/types.ts'
import { isUuid } from '../../../lib/src/encoding/uuid7.ts'
import { given } from '../../../lib/src/given.ts'
import type { CommandCall } from '../call.ts'
import { CommandError, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printList, printObject, printResult } from '../print.ts'
import { timeText } from '../table.ts'
import { requireChange } from './keys.ts'

/** `recto spaces list`, and `recto ls` without arguments. */
export async function listSpacesCommand(call: CommandCall): Promise<void> {
  await printList(call, openClient(call.terminal).spaces.list(), 'No spaces that this key can read.', [
    { title: 'SPACE', of: ({ slug }) => slug },
    { title: 'NAME', of: ({ name }) => name, cut: true },
    { title: 'KIND', of: ({ kind, visibility }) => (kind === 'personal' ? kind : visibility) },
    { title: 'YOUR ROLE', of: ({ role }) => role },
    { title: 'DESCRIPTION', of: ({ description }) => description, cut: true },
  ])
}

/** `recto spaces create`: creates an empty space, or one from a template. */
export async function createSpaceCommand(call: CommandCall): Promise<void> {
  const client = openClient(call.terminal)
  const input = { slug: call.arg('slug'), ...readDetails(call) }
  const template = call.option('template')
  if (template === undefined) return printSpace(call, await client.spaces.create(input), 'Created')
  const [source, id, ...rest] = template.split('/')
  const from = (['builtin', 'org', 'remote'] as const).find(
    (known): known is TemplateSource => known === source,
  )
  if (!from || !id || rest.length > 0) {
    throw new UsageError('--template must be builtin/<id>, org/<id> or remote/<id>')
  }
  const { defaultRole, ...forTemplate } = input
  if (defaultRole !== undefined) throw new UsageError('--default-role cannot be combined with --template')
  const made = await client.spaceTemplates.createSpace(from, id, forTemplate)
  const { space, pagesCreated } = made
  printResult(call, made, `Created ${space.slug} with ${pagesCreated} pages of ${made.template.title}.`)
}

/** `recto spaces show` */
export async function showSpaceCommand(call: CommandCall): Promise<void> {
  printObject(call, await openClient(call.terminal).spaces.get(call.arg('space')))
}

/** `recto spaces update` */
export async function updateSpaceCommand(call: CommandCall): Promise<void> {
  const change = requireChange({ ...given({ slug: call.option('slug') }), ...readDetails(call) })
  printSpace(call, await openClient(call.terminal).spaces.update(call.arg('space'), change), 'Changed')
}

/** `recto spaces delete` */
export async function deleteSpaceCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).spaces.delete(call.arg('space'), { force: call.flag('force') })
  call.terminal.out(`Deleted ${call.arg('space')}.\n`)
}

/** `recto spaces members` */
export async function membersCommand(call: CommandCall): Promise<void> {
  const list = openClient(call.terminal).spaces.members.list(call.arg('space'))
  await printList(call, list, 'The space has no members.', [
    { title: 'ID', of: ({ principal }) => principal.id },
    { title: 'NAME', of: ({ principal }) => principal.name, cut: true },
    { title: 'KIND', of: ({ principal }) => principal.kind },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
  ])
}

/** `recto spaces add-member` */
export async function addMemberCommand(call: CommandCall): Promise<void> {
  const role = call.arg('role') as SpaceRole // one of the choices
  const { members } = openClient(call.terminal).spaces
  const principal = await findPrincipal(call, () => true)
  const member = await members.set(call.arg('space'), principal, role)
  printResult(call, member, `${member.principal.name} is now ${member.role} of ${call.arg('space')}.`)
}

/** `recto spaces remove-member` */
export async function removeMemberCommand(call: CommandCall): Promise<void> {
  const principal = await findPrincipal(call, ({ role }) => role !== null)
  await openClient(call.terminal).spaces.members.remove(call.arg('space'), principal)
  call.terminal.out(`Removed ${call.arg('principal')} from ${call.arg('space')}.\n`)
}

/** The id of the principal that the command names by id, by its whole name or by e-mail address; lists others if it is not one. */
async function findPrincipal(call: CommandCall, fits: (candidate: Candidate) => boolean): Promise<string> {
  const named = call.arg('principal')
  if (isUuid(named)) return named
  const { members } = openClient(call.terminal).spaces
  const candidates = (await members.candidates(call.arg('space'), named).toArray()).filter(fits)
  const isMeant = ({ principal: { name }, match }: Candidate) =>
    named.includes('@') ? match === 'email' : name.toLowerCase() === named.trim().toLowerCase()
  const [one, ...more] = candidates.filter(isMeant)
  if (one && more.length === 0) return one.principal.id
  if (candidates.length === 0)
    throw new CommandError(
      `There is nobody called ${named}: give the whole name, the e-mail address or the id.`,
    )
  const lines = candidates.map(({ principal: { id, name, kind } }) => `  ${id}  ${name} (${kind})`)
  const problem = one ? 'is the name of several' : 'is nobody’s whole name or address'
  throw new CommandError(`${named} ${problem}: give the id of one of these.\n${lines.join('\n')}`)
}

function readDetails(call: CommandCall) {
  return given({
    name: call.option('name'),
    description: call.option('description'),
    visibility: call.option('visibility') as Space['visibility'] | undefined, // one of the choices
    defaultRole: call.option('default-role') as 'viewer' | 'editor' | undefined, // one of the choices
    language: call.option('language') as Space['language'] | undefined, // the service checks it
  })
}

function printSpace(call: CommandCall, space: Space, action: string): void {
  printResult(call, space, `${action} ${space.slug} (${space.name}).`)
}
