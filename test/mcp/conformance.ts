import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { startService } from '../support/service.ts'

/**
 * Runs the protocol's own conformance tests against a service: `node test/mcp/conformance.ts [revision] [options]`,
 * such as `2026-07-28 --suite all`.
 * They send no key, so a gate in front of the service adds one, and leaves everything else as it is.
 */
const TOOL = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** What a server with tools of its own alone fails at, and Recto does not: it has resources and prompts too. */
const PASSED = /^(?:resources-list|prompts-list|sep-2164-resource-not-found|caching):/

/** Prompts change by writing templates; the check calls a tool of the reference server for it. */
const OWN_TOOL = 'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription'

const [revision = '2025-11-25', ...options] = process.argv.slice(2)
let target = ''
let key = ''
const gate = createServer((request, answer) => {
  const headers = { authorization: `Bearer ${key}`, ...request.headers }
  const passed = send(target + request.url, { method: request.method ?? 'GET', headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  request.pipe(passed)
})
await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
const url = `http://localhost:${(gate.address() as AddressInfo).port}`

const service = await startService({ SVC_PUBLIC_URL: url })
target = service.app.address
key = service.admin.key ?? ''
const folder = mkdtempSync(join(tmpdir(), 'recto-conformance-'))
const expected = join(folder, 'expected.json')
writeFileSync(expected, JSON.stringify({ server: expectedFailures(revision) }))
const asked = ['--url', `${url}/mcp`, '--spec-version', revision, '--expected-failures', expected, ...options]
const child = spawn('npx', ['--yes', TOOL, 'server', ...asked], {
  stdio: 'inherit',
  env: { ...process.env, PATH: dirname(process.execPath) + delimiter + process.env.PATH },
})
process.exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
rmSync(folder, { recursive: true })
gate.close()
await service[Symbol.asyncDispose]()

function expectedFailures(of: string): string[] {
  const file = `../../../shared/data/mcp/expected-failures-own-tools-${of}.json`
  const { server } = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as { server: string[] }
  return [...server.filter((check) => !PASSED.test(check)), OWN_TOOL]
}
