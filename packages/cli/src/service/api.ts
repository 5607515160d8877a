import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { readInput } from '../input.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `recto api`: sends any request, and prints the body of the response. */
export async function apiCommand(call: CommandCall): Promise<void> {
  const data = call.option('data')
  const headers = new Headers(call.list('header').map(parseHeader))
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  const body = data === undefined ? undefined : await readBody(call, data)
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  const givenMethod = call.optional('method') as Method | undefined // one of the choices
  const method = givenMethod ?? (body === undefined ? 'GET' : 'POST')
  if (method === 'GET' && body !== undefined) throw new UsageError('GET takes no body')
  const response = await openClient(call.terminal).request(method, call.arg('path'), {
    headers: Object.fromEntries(headers),
    body,
  })
  if (/^text\/|json/.test(response.headers.get('content-type') ?? '')) {
    const text = await response.text()
    call.terminal.out(call.terminal.width === undefined || text.endsWith('\n') ? text : `${text}\n`)
  } else {
    call.terminal.output?.write(new Uint8Array(await response.arrayBuffer()))
  }
}

async function readBody(call: CommandCall, data: string): Promise<string | Uint8Array> {
  return data.startsWith('@') ? readInput(call.terminal, data.slice(1)) : data
}

function parseHeader(text: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`a header is written \`name: value\`, not ${text}`)
  }
  return [name, value.trim()]
}
