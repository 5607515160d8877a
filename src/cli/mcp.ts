import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { EXIT, runCommand, type Terminal } from './command.ts'
import { CONNECTION_HELP, connectionOf } from './connection.ts'
import { relayMessages } from './mcp-relay.ts'

const USAGE = `usage: recto mcp

Speaks the Model Context Protocol on standard input and output, for agents that start their tools as
programs. Every message goes to the service, and is answered with the rights of the key.

${CONNECTION_HELP}`

/** `recto mcp`: the MCP endpoint of a service over stdio. */
export function mcpCommand(
  args: readonly string[],
  terminal: Terminal,
  input: Readable = process.stdin,
): Promise<number> {
  return runCommand(USAGE, args, terminal, async () => {
    parseArgs({ args: [...args] })
    const answer = (line: string) => terminal.out(`${line}\n`)
    await relayMessages(linesOf(input), { ...connectionOf(terminal), answer })
    return EXIT.done
  })
}

/** Not `node:readline`: that ends lines at U+2028 too, which JSON may hold as it is. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  for await (const chunk of input) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    for (const next of others) {
      yield pieces.join('')
      pieces = [next]
    }
  }
  yield pieces.join('')
}
