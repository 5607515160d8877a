import { parseArgs } from 'node:util'
import { newToken } from '../lib/token.ts'
import { EXIT, runCommand, type Terminal, UsageError } from './command.ts'

const USAGE = `usage: recto keys generate

Prints a fresh API key. A service that starts on an empty database takes it as the key of its first
admin when it is given in SVC_ADMIN_API_KEY. No service is asked or changed.
`

/** `recto keys`: everything about API keys that needs no running service. */
export function keysCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(USAGE, args, terminal, async () => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
    const [deed, ...rest] = positionals
    if (deed === undefined) throw new UsageError('say what to do with keys')
    if (deed !== 'generate' || rest.length > 0) {
      throw new UsageError(`there is no \`keys ${positionals.join(' ')}\``)
    }
    terminal.out(`${newToken('svc_')}\n`)
    return EXIT.done
  })
}
