import type { Group, SpaceRole } from '../../../client/src/types.ts'
import { given } from '../../../lib/src/given.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printList, printObject, printResult } from '../print.ts'
import { timeText } from '../table.ts'
import { requireChange } from './keys.ts'

/** `recto groups list` */
export async function listGroupsCommand(call: CommandCall): Promise<void> {
  const filter = { name: call.option('name'), member: call.option('member') }
  await printList(call, openClient(call.terminal).groups.list(given(filter)), 'No matching groups.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name, cut: true },
    { title: 'MEMBERS', of: ({ memberCount }) => String(memberCount) },
    { title: 'MANAGED BY', of: ({ managedBy }) => managedBy ?? '-' },
    { title: 'DESCRIPTION', of: ({ description }) => description, cut: true },
  ])
}

/** `recto groups create` */
export async function createGroupCommand(call: CommandCall): Promise<void> {
  const group = await openClient(call.terminal).groups.create({
    name: call.arg('name'),
    ...given({ description: call.option('description') }),
  })
  printGroup(call, group, 'Created')
}

/** `recto groups show` */
export async function showGroupCommand(call: CommandCall): Promise<void> {
  printObject(call, await openClient(call.terminal).groups.get(call.arg('group')))
}

/** `recto groups update` */
export async function updateGroupCommand(call: CommandCall): Promise<void> {
  const change = requireChange(given({ name: call.option('name'), description: call.option('description') }))
  printGroup(call, await openClient(call.terminal).groups.update(call.arg('group'), change), 'Changed')
}

/** `recto groups delete` */
export async function deleteGroupCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).groups.delete(call.arg('group'))
  call.terminal.out(`Deleted ${call.arg('group')}.\n`)
}

/** `recto groups members` */
export async function groupMembersCommand(call: CommandCall): Promise<void> {
  const list = openClient(call.terminal).groups.members.list(call.arg('group'))
  await printList(call, list, 'The group has no members.', [
    { title: 'ID', of: ({ principal }) => principal.id },
    { title: 'NAME', of: ({ principal }) => principal.name, cut: true },
    { title: 'KIND', of: ({ principal }) => principal.kind },
    { title: 'ADDED BY', of: ({ source }) => source },
    { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
  ])
}

/** `recto groups spaces` */
export async function groupSpacesCommand(call: CommandCall): Promise<void> {
  const list = openClient(call.terminal).groups.spaces(call.arg('group'))
  await printList(call, list, 'The group has a role in no space.', [
    { title: 'SPACE', of: ({ space }) => space },
    { title: 'NAME', of: ({ name }) => name, cut: true },
    { title: 'ROLE', of: ({ role }) => role },
  ])
}

/** `recto groups add-member` */
export async function addGroupMemberCommand(call: CommandCall): Promise<void> {
  const member = await openClient(call.terminal).groups.members.add(call.arg('group'), call.arg('principal'))
  printResult(call, member, `${member.principal.name} is in the group.`)
}

/** `recto groups remove-member` */
export async function removeGroupMemberCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).groups.members.remove(call.arg('group'), call.arg('principal'))
  call.terminal.out(`Removed ${call.arg('principal')} from the group.\n`)
}

/** `recto spaces groups` */
export async function spaceGroupsCommand(call: CommandCall): Promise<void> {
  const list = openClient(call.terminal).spaces.groups.list(call.arg('space'))
  await printList(call, list, 'No group has a role in the space.', [
    { title: 'ID', of: ({ group }) => group.id },
    { title: 'NAME', of: ({ group }) => group.name, cut: true },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'SINCE', of: ({ createdAt }) => timeText(createdAt) },
  ])
}

/** `recto spaces add-group` */
export async function addSpaceGroupCommand(call: CommandCall): Promise<void> {
  const role = call.arg('role') as SpaceRole // one of the choices
  const set = await openClient(call.terminal).spaces.groups.set(call.arg('space'), call.arg('group'), role)
  printResult(call, set, `Members of ${set.group.name} are now ${set.role} of ${call.arg('space')}.`)
}

/** `recto spaces remove-group` */
export async function removeSpaceGroupCommand(call: CommandCall): Promise<void> {
  await openClient(call.terminal).spaces.groups.remove(call.arg('space'), call.arg('group'))
  call.terminal.out(`Removed ${call.arg('group')} from ${call.arg('space')}.\n`)
}

function printGroup(call: CommandCall, group: Group, action: string): void {
  printResult(call, group, `${action} ${group.name} (${group.id}).`)
}
