import { actorText } from '@recto/contract/actor-text.ts'
import { operationCommand } from '../operation-command.ts'
import type { CommandSpec } from '../spec.ts'

/** Commands for the inbox. */
export const notificationCommands: CommandSpec = {
  name: 'notifications',
  summary: 'list what you were told of, and mark it as read',
  commands: [
    operationCommand('ls', 'list your notifications, the newest first', 'me.notifications.list', {
      options: { unread: { summary: 'only what is not read yet' } },
      examples: [['notifications ls --unread']],
      none: 'There is nothing new.',
      columns: {
        ID: 'id',
        AT: 'at',
        READ: ({ readAt }) => (readAt === null ? '-' : 'read'),
        WHY: 'reason',
        WHAT: 'kind',
        EVENTS: ['events', 'right'],
        BY: ({ actor }) => actorText(actor),
        SPACE: 'subject.space',
        TITLE: ['title', true],
      },
    }),
    operationCommand('read', 'mark a notification as read, or all of them', 'me.notifications.mark', {
      arguments: [{ name: 'id', summary: 'id of the notification; without it, all', optional: true }],
      values: ({ id }) => ({ read: true, ...(id === undefined ? { all: true } : { ids: [id] }) }),
      examples: [['notifications read'], ['notifications read 0196f3f0-...']],
      text: ({ unread }) => `${unread === 100 ? '100 or more' : unread} unread.`,
    }),
  ],
}
