import { accessCommands } from './access/access-commands.ts'
import { groupCommands } from './access/group-commands.ts'
import { peopleCommands } from './access/people-commands.ts'
import { scimCommands } from './access/scim-commands.ts'
import { changeRequestCommands } from './change-requests/change-request-commands.ts'
import { commentCommands } from './comments/comment-commands.ts'
import { fileCommands } from './files/file-commands.ts'
import { loginCommands } from './login/login-commands.ts'
import { metadataCommands } from './metadata/metadata-commands.ts'
import { notificationCommands } from './notifications/notification-commands.ts'
import { linkCommands } from './pages/link-commands.ts'
import { pageCommands } from './pages/page-commands.ts'
import { serviceCommands } from './service/service-commands.ts'
import { webhookCommands } from './service/webhook-commands.ts'
import type { CommandSpec } from './spec.ts'
import { syncCommands } from './sync/sync-commands.ts'

/** Every command. */
export const COMMANDS: CommandSpec = {
  name: 'recto',
  summary: 'a page workspace for people and agents',
  commands: [
    ...pageCommands,
    ...syncCommands,
    fileCommands,
    metadataCommands,
    ...linkCommands,
    changeRequestCommands,
    commentCommands,
    notificationCommands,
    ...loginCommands,
    ...accessCommands,
    ...peopleCommands,
    ...groupCommands,
    ...scimCommands,
    webhookCommands,
    ...serviceCommands,
    { name: 'help', summary: 'print this help, or the help of a command' },
  ],
}

/** Resolves the command that the words start with: its declaration, its names, and the remaining words. */
export function findCommand(words: readonly string[]) {
  let spec = COMMANDS
  let depth = 0
  for (let next: CommandSpec | undefined; ; depth++) {
    next = spec.commands?.find(({ name }) => name === words[depth])
    if (!next) break
    spec = next
  }
  return { spec, names: words.slice(0, depth), rest: words.slice(depth) }
}
