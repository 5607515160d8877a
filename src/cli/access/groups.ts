import type { Group, SpaceRole } from '../../client/types.ts'
import type { CommandCall } from '../call.ts'
import { EXIT } from '../command.ts'
import { clientOf } from '../connection.ts'
import { printJson, printList, printObject } from '../print.ts'
import { timeText } from '../table.ts'
import { requireChange } from './keys.ts'

/** `recto groups list` */
export async function listGroupsCommand(call: CommandCall): Promise<number> {
  const [name, member] = [call.option('name'), call.option('member')]
  await printList(
    call,
    clientOf(call.terminal).groups.list({
      ...(name !== undefined && { name }),
      ...(member !== undefined && { member }),
    }),
    [
      { title: 'ID', of: ({ id }) => id },
      { title: 'NAME', of: ({ name }) => name, cut: true },
      { title: 'MEMBERS', of: ({ memberCount }) => String(memberCount) },
      { title: 'MANAGED BY', of: ({ managedBy }) => managedBy ?? '-' },
      { title: 'DESCRIPTION', of: ({ description }) => description, cut: true },
    ],
    'No matching groups.',
  )
  return EXIT.done
}

/** `recto groups create` */
export async function createGroupCommand(call: CommandCall): Promise<number> {
  const group = await clientOf(call.terminal).groups.create({ ...detailsOf(call), name: call.arg('name') })
  printGroup(call, group, 'Created')
  return EXIT.done
}

/** `recto groups show` */
export async function showGroupCommand(call: CommandCall): Promise<number> {
  printObject(call, await clientOf(call.terminal).groups.get(call.arg('group')))
  return EXIT.done
}

/** `recto groups update` */
export async function updateGroupCommand(call: CommandCall): Promise<number> {
  const name = call.option('name')
  const change = requireChange({ ...(name !== undefined && { name }), ...detailsOf(call) })
  printGroup(call, await clientOf(call.terminal).groups.update(call.arg('group'), change), 'Changed')
  return EXIT.done
}

/** `recto groups delete` */
export async function deleteGroupCommand(call: CommandCall): Promise<number> {
  await clientOf(call.terminal).groups.delete(call.arg('group'))
  call.terminal.out(`Deleted ${call.arg('group')}.\n`)
  return EXIT.done
}

/** `recto groups members` */
export async function groupMembersCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).groups.members.list(call.arg('group')),
    [
      { title: 'ID', of: ({ principal }) => principal.id },
      { title: 'NAME', of: ({ principal }) => principal.name, cut: true },
      { title: 'KIND', of: ({ principal }) => principal.kind },
      { title: 'ADDED BY', of: ({ source }) => source },
      { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
    ],
    'The group has no members.',
  )
  return EXIT.done
}

/** `recto groups spaces` */
export async function groupSpacesCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).groups.spaces(call.arg('group')),
    [
      { title: 'SPACE', of: ({ space }) => space },
      { title: 'NAME', of: ({ name }) => name, cut: true },
      { title: 'ROLE', of: ({ role }) => role },
    ],
    'The group has a role in no space.',
  )
  return EXIT.done
}

/** `recto groups add-member` */
export async function addGroupMemberCommand(call: CommandCall): Promise<number> {
  const member = await clientOf(call.terminal).groups.members.add(call.arg('group'), call.arg('principal'))
  if (call.flag('json')) printJson(call, member)
  else call.terminal.out(`${member.principal.name} is in the group.\n`)
  return EXIT.done
}

/** `recto groups remove-member` */
export async function removeGroupMemberCommand(call: CommandCall): Promise<number> {
  await clientOf(call.terminal).groups.members.remove(call.arg('group'), call.arg('principal'))
  call.terminal.out(`Removed ${call.arg('principal')} from the group.\n`)
  return EXIT.done
}

/** `recto spaces groups` */
export async function spaceGroupsCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).spaces.groups.list(call.arg('space')),
    [
      { title: 'ID', of: ({ group }) => group.id },
      { title: 'NAME', of: ({ group }) => group.name, cut: true },
      { title: 'ROLE', of: ({ role }) => role },
      { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
    ],
    'No group has a role in the space.',
  )
  return EXIT.done
}

/** `recto spaces add-group` */
export async function addSpaceGroupCommand(call: CommandCall): Promise<number> {
  const role = call.arg('role') as SpaceRole // one of the choices
  const set = await clientOf(call.terminal).spaces.groups.set(call.arg('space'), call.arg('group'), role)
  if (call.flag('json')) printJson(call, set)
  else call.terminal.out(`Members of ${set.group.name} are now ${set.role} of ${call.arg('space')}.\n`)
  return EXIT.done
}

/** `recto spaces remove-group` */
export async function removeSpaceGroupCommand(call: CommandCall): Promise<number> {
  await clientOf(call.terminal).spaces.groups.remove(call.arg('space'), call.arg('group'))
  call.terminal.out(`Removed ${call.arg('group')} from ${call.arg('space')}.\n`)
  return EXIT.done
}

function detailsOf(call: CommandCall) {
  const description = call.option('description')
  return description === undefined ? {} : { description }
}

function printGroup(call: CommandCall, group: Group, action: string): void {
  if (call.flag('json')) printJson(call, group)
  else call.terminal.out(`${action} ${group.name} (${group.id}).\n`)
}
