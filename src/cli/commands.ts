import { accessCommands } from './access-commands.ts'
import { fileCommands } from './file-commands.ts'
import { groupCommands } from './group-commands.ts'
import { linkCommands } from './link-commands.ts'
import { loginCommands } from './login-commands.ts'
import { metadataCommands } from './metadata-commands.ts'
import { pageCommands } from './page-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { scimCommands } from './scim-commands.ts'
import { serviceCommands } from './service-commands.ts'
import type { CommandSpec } from './spec.ts'
import { syncCommands } from './sync-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

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
export function findCommand(words: readonly string[]): {
  readonly spec: CommandSpec
  readonly names: readonly string[]
  readonly rest: readonly string[]
} {
  let spec = COMMANDS
  let depth = 0
  for (let next: CommandSpec | undefined; ; depth++) {
    next = spec.commands?.find(({ name }) => name === words[depth])
    if (!next) break
    spec = next
  }
  return { spec, names: words.slice(0, depth), rest: words.slice(depth) }
}
